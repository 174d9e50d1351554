import type { OfflineCopy, OfflineOptions } from "./pocketgraph.js";

/** The package's own files that a page may come to need without a network. */
export declare const PACKAGE_FILES: readonly string[];
/** What an earlier visit asked to keep, or null. */
export declare function existingOffline(options?: Pick<OfflineOptions, "worker" | "scope" | "files">): Promise<OfflineCopy | null>;
