import type { Difference } from './diff.ts'

/** Returns why a service that runs is no longer declared: what no longer names it. */
export function orphanedReason({
  application,
  isSpecificationGone,
  isApplicationDeclared,
}: Pick<Difference, 'application' | 'isSpecificationGone' | 'isApplicationDeclared'>): string {
  if (isSpecificationGone) return 'its specification is gone'
  return isApplicationDeclared
    ? `no longer in the specification of ${application}`
    : 'no longer in the manifest'
}
