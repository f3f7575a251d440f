import type { DeploymentStatus } from '../deployment/deployment-status.ts'
import type { ApplicationStatus } from './application-status.ts'

/**
 * Says of applications that their version failed on a site, and ended its deployment, although nothing is wrong with them
 * there by now: the site keeps what it has until somebody corrects it (A33, G13). Pure.
 */
export function withFailedHere(
  applications: readonly ApplicationStatus[],
  deployments: readonly DeploymentStatus[],
): readonly ApplicationStatus[] {
  const failed = new Map(
    deployments.flatMap(({ application, name, left }) =>
      left.flatMap(({ site, reason }) => (reason === 'failed' ? [[keyOf({ site, application }), name]] : [])),
    ),
  )
  if (failed.size === 0) return applications
  return applications.map(one => {
    const deployment = failed.get(keyOf(one))
    if (deployment === undefined || one.reason !== '') return one
    return { ...one, reason: `the deployment ${deployment} failed here` }
  })
}

function keyOf({ site, application }: Pick<ApplicationStatus, 'site' | 'application'>): string {
  return JSON.stringify([site, application])
}
