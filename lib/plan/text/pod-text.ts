import type { IsolatorOutcome } from '../../state/application/pod/pod.ts'
import type { Change, ShownPod } from '../change/change.ts'
import { brief } from './brief.ts'
import { indented, type Line } from './line.ts'

/**
 * Returns what becomes of the isolators of the pods that a change makes (C40), and which apps keep what they write when
 * the engine itself starts them again (C50). `verbose`: also their manifests, from which nothing is left open (C4). Pods
 * that read the same are told once.
 */
export function podLines({ pods }: Pick<Change, 'pods'>, verbose: boolean): readonly Line[] {
  const told = new Map(
    (pods ?? []).map(pod => [JSON.stringify(verbose ? pod : [pod.isolators, pod.keepsFiles]), pod]),
  )
  return [...told.values()].flatMap(pod => [
    ...[...isolatorsTexts(pod.isolators), ...keptText(pod)].map(brief),
    ...(verbose ? manifestLines(pod) : []),
  ])
}

/** Returns `if the engine starts main, backup again, what they have written stays`. */
function keptText({ keepsFiles = [] }: ShownPod): readonly string[] {
  const writers = keepsFiles.length === 1 ? 'it has' : 'they have'
  return keepsFiles.length === 0
    ? []
    : [`if the engine starts ${keepsFiles.join(', ')} again, what ${writers} written stays`]
}

/** Returns `isolators of main: resource/memory enforced; example.com/own ignored (it is not known)`. */
function isolatorsTexts(outcomes: readonly IsolatorOutcome[]): readonly string[] {
  return [...Map.groupBy(outcomes, ({ app }) => app)].map(([app = 'the pod', own]) => {
    const texts = own.map(({ isolator, outcome, reason }) =>
      [isolator, outcome, ...(reason === undefined ? [] : [`(${reason})`])].join(' '),
    )
    return `isolators of ${app}: ${texts.join('; ')}`
  })
}

function manifestLines({ manifest, seccomp = {} }: ShownPod): readonly Line[] {
  const profiles = Object.entries(seccomp).flatMap(([app, profile]) =>
    documentLines(`seccomp profile of ${app}`, profile),
  )
  return [...documentLines('pod manifest', manifest), ...profiles]
}

function documentLines(title: string, document: object): readonly Line[] {
  const lines = JSON.stringify(document, undefined, 2).split('\n')
  return [`${title}:`, ...lines.map(line => indented(2, line))]
}
