import type { PassEnd } from '../../../lib/journal/history/passes.ts'
import type { Journal } from '../../../lib/journal/journal.ts'
import type { Change, Delivery, Plan } from '../../../lib/plan/change/change.ts'
import type { Container } from '../../../lib/state/application/container/container.ts'
import type { PostMortem } from '../../../lib/state/pass/post-mortem.ts'
import type { StepEvent } from '../../../lib/state/pass/step-event.ts'
import type { Revision } from '../../../lib/state/repository/revision.ts'
import { change as changeOf } from './builders.ts'

export const minute = 60_000
export const day = 86_400_000

export function revision(commit: string): Revision {
  return { ref: 'main', commit, author: 'Ann', subject: `subject of ${commit}`, time: '2026-01-01T00:00:00Z' }
}

export function change(parts: Partial<Delivery> = {}): Delivery {
  return changeOf({
    application: 'shop',
    service: 'web',
    lines: [{ sign: '-/+', name: 'web.1', reason: 'image' }],
    fields: [{ path: 'web/image', from: 'web:1@sha256:aa', to: 'web:2@sha256:bb', touches: 'image' }],
    ...parts,
  })
}

export function plan(parts: Partial<Plan> = {}): Plan {
  return {
    id: 'plan-1',
    environment: 'prod',
    revision: revision('c1'),
    changes: [change()],
    blocked: [],
    unseen: [],
    warnings: [],
    ...parts,
  }
}

export function container(digest: string): Container {
  return {
    name: 'web',
    image: { reference: 'web:2', pin: { state: 'pinned', digest } },
    restart: { name: 'always' },
    stopGraceMs: 10_000,
  }
}

export function event(parts: Partial<StepEvent> = {}): StepEvent {
  return {
    atMs: 1_500,
    site: 'local',
    application: 'shop',
    service: 'web',
    step: 'create-container prod.web.1.ab12cd34',
    stage: 'change',
    phase: 'started',
    ...parts,
  }
}

/** What is told of a container that failed. */
export const postMortem = (container: string): PostMortem => ({
  container,
  exitCode: 3,
  oomKilled: false,
  restarts: 2,
  checks: [{ exitCode: 1, output: 'refused' }],
  lines: ['starting', 'no database'],
})

/** A pass from its beginning to its end; returns the number under which it is found. */
export function runPass(
  journal: Journal,
  parts: {
    readonly environment?: string
    readonly site?: string
    readonly atMs?: number
    readonly plan?: Plan
    readonly commit?: string
    readonly events?: readonly StepEvent[]
    /** What it begins. */
    readonly begun?: readonly Change[]
    readonly end?: Partial<PassEnd>
  } = {},
): number {
  const { environment = 'prod', site = 'local', atMs = 1_000, commit = 'c1', events = [], begun = [] } = parts
  const id = journal.beginPass({ environment, site, trigger: 'poll', atMs })
  journal.setRevision(id, revision(commit))
  if (parts.plan !== undefined) journal.setPlan(id, parts.plan)
  journal.beginIn(id, environment, begun, atMs)
  for (const one of events) journal.recordStep(id, one)
  return journal.endPass(id, { outcome: 'in-sync', sync: 'Synced', atMs: atMs + 100, ...parts.end })
}
