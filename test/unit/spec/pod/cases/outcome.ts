import { expect } from 'chai'
import { builtPod } from '../built-pod.ts'

/** What a manifest comes to. */
export type Built = ReturnType<typeof builtPod>

/** All problems that a manifest has, in their printed form. */
export type Refused = { readonly refused: readonly string[] }

/** The manifest is wrong there. */
export const refused = (...problems: readonly string[]): Refused => withCode('pod-invalid', problems)

/** The manifest is right, and cannot run. */
export const unrunnable = (...problems: readonly string[]): Refused => withCode('pod-unrunnable', problems)

function withCode(code: string, problems: readonly string[]): Refused {
  return { refused: problems.map(problem => `${problem} (${code})`) }
}

/** Builds a manifest that an environment names, and expects what is seen of it, or its problems. */
export function expectOutcome(
  manifest: object | string,
  seen: (built: Built) => unknown,
  expected: unknown,
  surroundings: Parameters<typeof builtPod>[1] = {},
): void {
  const built = builtPod(manifest, { containers: [], ...surroundings })
  const { problems } = built
  expect(problems.length > 0 ? { refused: problems } : seen(built)).to.deep.equal(expected)
}

/** How a text stands in the title of a test: on one line, and not longer than that. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 100 ? `${text.slice(0, 80)}… (${text.length} characters)` : text
}
