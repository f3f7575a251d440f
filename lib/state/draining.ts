/**
 * While this file is there, load balancers are told to send it no more requests. It stands in the volume of the ingress, so
 * that a drained site stays drained whatever becomes of the container.
 */
export const drainingFile = { directory: '/data', name: 'draining' } as const
