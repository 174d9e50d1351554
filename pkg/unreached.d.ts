/** Why an endpoint cannot be reached from a page. */
export type UnreachedReason = "policy" | "insecure" | "permission" | "origin" | "closed";
/** Why a request to `baseUrl` fails before any reply. Sends one request, without a body or credentials. */
export declare function whyUnreached(baseUrl: string): Promise<UnreachedReason>;
