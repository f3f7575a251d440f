import type { Job } from '../state/application.ts'

/**
 * What a rollout runs once, one text for each job and whole: `pre hook (Abort): migrate up`. Of a phase of a Pallet
 * application the image itself says what it is, and its name is all there is to tell.
 */
export function jobText({ stage, container, onFailure }: Job): string {
  if (stage === 'test' || stage === 'deploy') return stage
  return `${stage} hook (${policies[onFailure]}): ${commandText(container)}`
}

const policies: Readonly<Record<Job['onFailure'], string>> = {
  retry: 'Retry',
  abort: 'Abort',
  ignore: 'Ignore',
}

function commandText({ entrypoint = [], command = [] }: Job['container']): string {
  const words = [...entrypoint, ...command]
  return words.length === 0 ? "the image's own command" : wordsText(words)
}

/** The words of a command, each to be told from the next. */
export function wordsText(words: readonly string[]): string {
  return words.map(quoted).join(' ')
}

/** A word that a reader could not tell from two words, or from none, stands in quotes. */
export function quoted(word: string): string {
  return /^[^\s"'\\,;]+$/.test(word) ? word : JSON.stringify(word)
}
