import { deploymentMeant } from '../../answers/subject/deployments.ts'
import { timeOfDayMs } from '../../clock.ts'
import { Failure } from '../../errors.ts'
import { optional } from '../../object.ts'
import type { StatusDocument } from '../../reconcile/status/status-document.ts'
import { knownName } from '../../text/suggestion/unknown-name.ts'
import { exitCode } from '../exit.ts'
import type { CommonFlags } from '../options/flags.ts'
import { inEnvironment } from '../output/in-environment.ts'
import { type Output, reportErrors } from '../output/output.ts'
import { deploymentDetail } from '../text/deployment-text.ts'
import { lastKnownText } from '../text/status/status-text.ts'
import { environmentsOf, meantBy } from './status.ts'

/** Prints a deployment: its batches, what it waits for, and the sites that are still without its version (G13). */
export async function deployment(
  output: Output,
  flags: CommonFlags & { readonly all?: boolean },
  name = '',
): Promise<number> {
  const { environments, failure } = await environmentsOf(flags)
  const asked = meantBy(flags, environments)
  const all = asked.flatMap(({ environment, deployments = [], held = [] }) =>
    deployments.map(one => {
      const own = held.find(({ application }) => application === one.application)
      return { environment, ...one, ...optional('held', own) }
    }),
  )
  const known = all.flatMap(one => [one.name, one.application])
  const isApplication = asked.some(({ applications }) => applications.some(one => one.application === name))
  if (isApplication && !known.includes(name)) throw hasNone(name)
  const meant = knownName('deployment', name, known)
  // Each environment may have one of that name.
  const found = [...Map.groupBy(all, ({ environment }) => environment).values()].flatMap(
    own => deploymentMeant(own, meant) ?? [],
  )
  if (output.json) output.document(found)
  else {
    const lines = found.flatMap(one =>
      inEnvironment(one.environment, environments.length, deploymentDetail(one, flags.all === true)),
    )
    output.text([...oldOf(asked), ...lines])
  }
  if (failure === undefined) return exitCode.done
  reportErrors(output, [failure])
  return exitCode.failed
}

/** Says of environments that nobody looks after how old what is told of them is. */
function oldOf(asked: readonly StatusDocument[]): readonly string[] {
  const nowMs = timeOfDayMs()
  return asked.flatMap(({ daemon, environment, deployments = [], seenAt, lookedAt }) =>
    daemon || deployments.length === 0 ? [] : [`${environment}: ${lastKnownText(seenAt ?? lookedAt, nowMs)}`],
  )
}

/** An application may have had one, whose file is gone. */
function hasNone(application: string): Failure {
  return new Failure('wrong-usage', `${application} has no deployment`, {
    hint: 'No file under deployments/ names it. "tallyman status" says where it runs, and what becomes of it there.',
  })
}
