import type { OfflineCopy, OfflineOptions } from "./pocketgraph.js";

/** Files of the package that a page may need without a network. */
export declare const PACKAGE_FILES: readonly string[];
/** Resolves to the copy that an earlier visit asked for, or null. */
export declare function existingOffline(options?: Pick<OfflineOptions, "worker" | "scope" | "files">): Promise<OfflineCopy | null>;
