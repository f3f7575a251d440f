import type { Change, Removal, Repair, Restoration } from '../../../lib/plan/change/change.ts'

type Parts = Partial<Pick<Change, 'application' | 'service'>>

/** What any change has, for those who only carry it on. */
export function usual({ application = 'web', service = application }: Parts) {
  return {
    ...{ site: 'local', application, service, reason: 'image' },
    instances: 1,
    lines: [],
    strategy: 'rolling',
    strategyReason: 'nothing is exclusive',
    downtime: false,
    prepare: [],
    stages: [],
    finish: [],
    undo: [],
    after: [],
  } as const
}

/** One repair of a plan. */
export function repair(parts: Partial<Repair> = {}): Repair {
  const aim = { target: 'target-1', release: 'release-2' } as const
  return { ...usual(parts), action: 'start', cause: 'drifted', fields: [], jobs: [], ...aim, ...parts }
}

/** What puts back what ran before `target-2`. */
export function restoration(parts: Partial<Restoration> = {}): Restoration {
  const aim = { target: 'before target-2', release: 'release-2' } as const
  return { ...usual(parts), action: 'start', cause: 'drifted', fields: [], jobs: [], ...aim, ...parts }
}

/** One removal of a plan. */
export function removal(parts: Partial<Removal> = {}): Removal {
  const aim = { target: 'absent', release: 'absent' } as const
  return { ...usual(parts), action: 'remove', cause: 'orphaned', fields: [], jobs: [], ...aim, ...parts }
}
