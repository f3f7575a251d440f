/** How long a request may wait for an instance, and then for the beginning of its answer; absent: without a limit. */
export type Patience = { readonly holdMs: number; readonly timeoutMs?: number }
