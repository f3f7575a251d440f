import { applyChanges, type ChangeResult } from '../../../apply/apply.ts'
import type { ApplyContext } from '../../../apply/step-runner.ts'
import { type Failure, toFailure } from '../../../errors.ts'
import { optional } from '../../../object.ts'
import { type Change, keyOf } from '../../../plan/change/change.ts'
import type { Provenance } from '../../../plan/step/container-place.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { linkedAbort } from '../../../wait/linked-abort.ts'
import type { PassRequest } from '../pass-request.ts'
import type { PassRecorder } from '../record/record.ts'
import type { Found } from '../result/pass-result.ts'
import type { SiteWorld } from '../site.ts'
import { holdClaim } from '../writer/hold-claim.ts'
import { beginJob } from './begin-job.ts'
import { withDeployLock } from './deploys.ts'
import { elapsedMs } from './elapsed.ts'
import { namingImages } from './place-of-image.ts'

/** What became of the changes. `lost`: why nothing more of them was done, if another process is the writer now. */
export type CarriedOut = { readonly results: readonly ChangeResult[]; readonly lost?: Failure }

/**
 * Carries out what has begun of a plan, and records each step. Before each step that changes something, and before each
 * further change in it, it is certain that this process is still the writer: the machine may have slept. Once it is not,
 * waits end and no more steps start. No failure to record anything stops it; such a failure is thrown when everything is
 * done (G25).
 */
export async function carryOut(
  site: SiteWorld,
  { onEvent, onTasks, onEnd }: PassRequest,
  { desired, decision: { plan, desired: here }, verdict: { go }, record: made }: Found,
  record: PassRecorder,
  signal: AbortSignal,
): Promise<CarriedOut> {
  if (go.length === 0) return { results: [] }
  const { world, engine } = site
  using hold = holdClaim(site, desired.environment)
  using either = linkedAbort(signal, hold.lost)
  const { journal, pools, nowMs, steadyMs } = world
  const naming = namingImages(engine.guarded(hold.certainly), desired.written)
  const attempts = journal.attempts(desired.environment, engine.site)
  const troubles: Failure[] = []
  const tell = (listener: () => void) => {
    try {
      listener()
    } catch (error) {
      troubles.push(toFailure(error))
    }
  }
  const endedMs = new Map<Change, number>()
  const tellEnd = (done: ChangeResult) => {
    endedMs.set(done.change, nowMs())
    tell(() => onEnd?.(done))
  }
  const context: ApplyContext = {
    engine: () => naming,
    provenance: { ...provenanceOf(desired), ...optional('record', made) },
    onEvent: event => {
      tell(() => record.event(event))
      tell(() => onEvent?.(event, plan))
    },
    onTasks: now => tell(() => onTasks?.(now)),
    onFailure: (...failed) => tell(() => record.failed(...failed)),
    onUntouched: (...untouched) => tell(() => record.untouched(...untouched)),
    onUndone: change => tell(() => record.undone(change)),
    onApplied: (...applied) => tell(() => record.applied(...applied)),
    onJob: (change, job) =>
      beginJob(site, attempts.get(keyOf(change)), change, job, (...begun) =>
        tell(() => record.jobBegun(change, ...begun)),
      ),
    onJobOver: (...over) => tell(() => record.jobOver(...over)),
    withDeployLock: withDeployLock(site, here),
    elapsedMs: change => elapsedMs(site, attempts.get(keyOf(change)), change),
    signal: either.signal,
    nowMs,
    steadyMs,
    inPool: (site, fetches, work) => (fetches ? pools.pull : pools.call)(site, work),
    certainly: hold.certainly,
  }
  const ended = await applyChanges(go, context, tellEnd)
  const [trouble] = troubles
  if (trouble !== undefined) throw trouble
  const results = ended.map(one =>
    'failure' in one ? { ...one, ...optional('atMs', endedMs.get(one.change)) } : one,
  )
  return { results, ...optional('lost', hold.why()) }
}

function provenanceOf({ environment, source, address, directory, revision }: DesiredState): Provenance {
  return { environment, source, address, directory, commit: revision.commit }
}
