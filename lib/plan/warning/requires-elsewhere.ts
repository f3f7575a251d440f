import type { Problem } from '../../errors.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import type { Change } from '../change/change.ts'

/**
 * Returns what is to be said of applications that require one which its deployment does not mean for this site, where
 * either of the two changes: nothing waits for what is not here (G11). Pure.
 */
export function requiresElsewhere(
  site: string,
  { applications, elsewhere = [] }: Pick<DesiredState, 'applications' | 'elsewhere'>,
  changes: readonly Pick<Change, 'application'>[],
): readonly Problem[] {
  if (elsewhere.length === 0) return []
  const away = new Set(elsewhere)
  const changing = new Set(changes.map(({ application }) => application))
  return applications.flatMap(({ name, requires }) =>
    requires
      .filter(({ application }) => away.has(application))
      .filter(({ application }) => changing.has(name) || changing.has(application))
      .map(({ application }) => ({
        code: 'requires-elsewhere' as const,
        message: `${site}: ${name} requires ${application}, whose deployment does not mean this site`,
      })),
  )
}
