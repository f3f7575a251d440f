/**
 * While this file exists, load balancers are told to send no more requests. It is in the volume of the ingress, so that
 * a drained site stays drained whatever happens to the container.
 */
export const drainingFile = { directory: '/data', name: 'draining' } as const
