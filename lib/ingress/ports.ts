/** Where the ingress listens in its container; on the host it is where the operator says. */
export const ports = { http: 80, https: 443, health: 8080 } as const
