import type { Problem } from '../errors.ts'
import type { Job, Service } from '../state/application.ts'
import { hashOf } from '../state/canonical.ts'
import type { Blocked, DesiredState } from '../state/desired.ts'
import type { Route } from '../state/route.ts'
import { beforeTarget, type Change, type FieldChange, type Held, keyOf, type Plan } from './change.ts'
import type { Difference, DiffResult, Undecided } from './diff.ts'
import { isForTheOperator, waiting } from './external.ts'
import { fieldChanges, type Specification } from './fields.ts'
import { holds, type Rules } from './hold.ts'
import { type Images, unneededImages } from './images.ts'
import { networkSteps, prepareSteps } from './instance.ts'
import { deploysOf, prepareJob } from './job.ts'
import { brokenText, faultText, instanceLines, restoreLines } from './lines.ts'
import { unusedNetworks } from './networks.ts'
import { order } from './order.ts'
import type { SiteResources } from './resources.ts'
import { choose } from './rollout/choose.ts'
import { restore } from './rollout/restore.ts'
import { routeChanges } from './routes.ts'
import type { Step } from './step.ts'

export type PlanInput = {
  readonly desired: DesiredState
  readonly diffs: readonly (DiffResult & { readonly site: string })[]
  readonly resources: readonly SiteResources[]
  /** Sites that did not answer. */
  readonly unseen: readonly string[]
  /** What an instance that runs was made from, by its fingerprint. */
  readonly specificationOf: (fingerprint: string) => Specification | undefined
  readonly rules: Rules
  /** What the ingress loaded last. */
  readonly loaded?: readonly Route[]
  /** Present where old images are to be removed once nothing else is to be done. */
  readonly images?: Images
}

/** Everything that is to happen, as one value: it is printed, approved, run, tested and logged (G7, G8). Pure. */
export function planFor(input: PlanInput): Plan {
  const { desired, diffs } = input
  const differences = diffs.flatMap(({ differences }) => differences)
  const undecided = diffs.flatMap(({ undecided }) => undecided)
  const unknown = [...new Map(undecided.map(entry => [entry.application, blockedBy(entry)])).values()]
  const held = holds(desired, differences, undecided, input.rules)
  const changes = differences.map(difference => changeFor(difference, held.get(difference), input))
  const networks = diffs.flatMap(diff => unusedNetworks(diff, desired, input.resources, held))
  const blocked = [...desired.blocked, ...unknown]
  const services = [...order(changes, desired.applications), ...networks]
  const ordered = services.length + blocked.length > 0 ? services : imagesIn(input)
  const id = hashOf({ environment: desired.environment, changes: ordered.map(identityOf) }).slice(0, 16)
  const stuck = input.rules.notConverging?.planId === id
  return {
    id,
    environment: desired.environment,
    revision: desired.revision,
    changes: stuck ? ordered.map(change => ({ ...change, held: change.held ?? notConverging })) : ordered,
    blocked,
    unseen: input.unseen,
    warnings: [...desired.warnings, ...duplicateFree(ordered.flatMap(warningsOf))],
  }
}

/** Old images wait until every site is seen, and nobody said that nothing is to change. */
function imagesIn({ desired, unseen, rules, images }: PlanInput): readonly Change[] {
  const mayGo = images !== undefined && unseen.length + rules.suspended.size === 0
  return mayGo ? unneededImages(desired, images) : []
}

/** An image that nobody could tell is no change and no agreement: the application waits (D5). */
function blockedBy({ application, reason }: Undecided): Blocked {
  return { application, problems: [{ code: 'digest-unknown', message: `${application}: ${reason}` }] }
}

const notConverging: Held = {
  code: 'not-converging',
  reason: 'this very plan was just applied and is still due',
}

function changeFor(difference: Difference, hold: Held | undefined, input: PlanInput): Change {
  if (isForTheOperator(difference)) return waiting(difference, hold)
  const { site, application, service, kind, target } = difference
  const putBack =
    hold?.code === 'quarantined' && !hold.isFinal && difference.declared
      ? restore(difference, difference.declared.service)
      : undefined
  const { action, rollout } = putBack
    ? { action: 'start' as const, rollout: putBack.rollout }
    : choose(difference)
  const fields = putBack ? [] : fieldsOf(difference, input)
  const reason = putBack ? rollout.strategyReason : reasonOf(difference, fields)
  return {
    site,
    application,
    service,
    action,
    cause: putBack ? 'drifted' : kind,
    reason,
    instances: difference.matched.length + difference.missing.length || difference.surplus.length,
    lines: putBack ? restoreLines(service, putBack) : instanceLines(difference, reason),
    fields,
    strategy: rollout.strategy,
    strategyReason: rollout.strategyReason,
    downtime: rollout.downtime,
    target: putBack ? beforeTarget(target) : target,
    jobs: putBack || !difference.isRollout || difference.areJobsDone ? [] : jobsOf(difference),
    prepare: putBack ? [] : prepareOf(difference, input.resources),
    stages: rollout.stages,
    ...(putBack ? {} : deployingOf(difference)),
    ...deadlineOf(difference),
    ...(rollout.noReturnAt === undefined ? {} : { noReturnAt: rollout.noReturnAt }),
    finish: rollout.finish,
    undo: rollout.undo,
    after: [],
    ...(hold === undefined || putBack ? {} : { held: hold }),
  }
}

function deployingOf({ isRollout, jobs }: Difference): Pick<Change, 'deploys'> {
  const deploys = isRollout ? deploysOf(jobs) : []
  return deploys.length === 0 ? {} : { deploys }
}

function deadlineOf({ declared, isRollout }: Difference): Pick<Change, 'deadlineMs'> {
  const deadlineMs = declared?.service.strategy.deadlineMs
  return isRollout && deadlineMs !== undefined ? { deadlineMs } : {}
}

/** Pulls for what is missing, and the networks and volumes that are not there, each once. */
function prepareOf(
  { site, declared, missing, faults, isRollout, jobs }: Difference,
  resources: readonly SiteResources[],
): readonly Step[] {
  const there = resources.find(resource => resource.site === site)
  const seen = new Set<string>()
  const networks = faults.flatMap(({ what }) => (what.is === 'detached' ? networkSteps(what.network) : []))
  const ofJobs = isRollout ? jobs.flatMap(prepareJob) : []
  const isToReach = missing.length + faults.length > 0
  const gates = declared !== undefined && isToReach ? gateSteps(declared.service) : []
  return [...missing.flatMap(prepareSteps), ...ofJobs, ...networks, ...gates].filter(step => {
    if (step.do === 'create-network' && there?.networks.includes(step.network.name)) return false
    if (step.do === 'create-volume' && there?.volumes.includes(step.volume.name)) return false
    const key = hashOf(step)
    return !seen.has(key) && seen.add(key)
  })
}

/** The networks over which requests come in. */
function gateSteps({ gate, proxy }: Service): readonly Step[] {
  return [...(gate === undefined ? [] : [gate.network]), ...(proxy?.networks ?? [])].flatMap(networkSteps)
}

function fieldsOf(
  { service, kind, declared, missing, surplus, faults }: Difference,
  { specificationOf, loaded = [] }: PlanInput,
): readonly FieldChange[] {
  const [after] = missing
  const [before] = surplus
  if (kind === 'orphaned') return []
  const proxy = declared?.service.proxy
  const isLoading = missing.length > 0 || faults.some(({ what }) => what.is === 'outdated')
  const routes = proxy !== undefined && isLoading ? routeChanges(loaded, proxy.routes) : []
  if (after === undefined || before === undefined || before.fingerprint === after.fingerprint) return routes
  return [...fieldChanges(service, before, after.instance, specificationOf), ...routes]
}

/** The reason in one phrase: which fields differ, or what happened. */
function reasonOf(
  { kind, faults, matched, missing, surplus, declared, target, isRollout, isInterrupted }: Difference,
  fields: readonly FieldChange[],
): string {
  if (kind === 'orphaned') return 'no longer in the manifest'
  if (target === 'absent') return 'no instances wanted'
  if (missing.length + surplus.length + faults.length === 0)
    return isRollout || isInterrupted
      ? 'its rollout was interrupted'
      : 'left over from an interrupted rollout'
  if (kind === 'missing') return 'not deployed yet'
  const own = fields.filter(({ path }) => !path.startsWith('routes'))
  if (own.length > 0)
    return [...new Set(own.map(({ path }) => topField(path, declared?.service.name ?? '')))].join(', ')
  const wanted = new Set(matched.map(({ live }) => live.fingerprint))
  const broken = missing.map((wanted, index) => {
    const old = surplus[index]
    return old === undefined ? 'instances missing' : (brokenText(old, wanted) ?? 'specification')
  })
  const words = [
    ...new Set([
      ...faults.map(faultText),
      ...broken,
      ...surplus
        .slice(missing.length)
        .map(({ fingerprint }) =>
          wanted.has(fingerprint) ? 'more instances than wanted' : 'an earlier version is still there',
        ),
    ]),
  ]
  return words.join('; ')
}

function topField(path: string, service: string): string {
  return path.slice(service.length + 1).split('/')[0] || 'specification'
}

/** What runs once, in the order in which it runs. */
function jobsOf({ jobs }: Difference): readonly string[] {
  const stages: readonly Job['stage'][] = ['test', 'pre', 'deploy', 'mid', 'post']
  return stages.flatMap(stage =>
    jobs.flatMap(({ job }) => (job.stage === stage ? [isPhase(stage) ? stage : `${stage} hook`] : [])),
  )
}

function isPhase(stage: Job['stage']): boolean {
  return stage === 'test' || stage === 'deploy'
}

/** What the id is made of: everything that will be done and why, without what only explains it. */
function identityOf({ held, ...change }: Change): object {
  return { ...change, held: held?.code }
}

function warningsOf(change: Change): readonly Problem[] {
  return change.held === undefined
    ? []
    : [{ code: change.held.code, message: `${keyOf(change)}: ${change.held.reason}` }]
}

function duplicateFree(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map(problem => [problem.message, problem])).values()]
}
