/** Reason why an endpoint cannot be reached from a page. */
export type UnreachedReason = "policy" | "insecure" | "permission" | "origin" | "closed";
/** Resolves to the reason why a request to `baseUrl` fails before any reply. Sends one request, without a body or credentials. */
export declare function whyUnreached(baseUrl: string): Promise<UnreachedReason>;
