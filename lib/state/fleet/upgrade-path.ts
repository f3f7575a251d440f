import { parsePattern } from '../pattern.ts'

/** Tells whether a version matches an expression of `upgrade-from`. One that cannot be read matches none (A42). */
export type VersionMatcher = (pattern: string, version: string) => boolean

/** Reads each expression once, however many versions it is asked about. */
export function pathMatcher(): VersionMatcher {
  const known = new Map<string, (version: string) => boolean>()
  return (pattern, version) => {
    const matches = known.get(pattern) ?? matchesOf(pattern)
    known.set(pattern, matches)
    return matches(version)
  }
}

function matchesOf(pattern: string): (version: string) => boolean {
  const parsed = parsePattern(pattern)
  return parsed.ok ? parsed.value.matches : () => false
}

/** Returns what runs besides a version, which is what an upgrade path has to lead from; '' is no version. */
export function runningBeside(version: string, running: ReadonlySet<string>): readonly string[] {
  return [...running].filter(other => other !== version)
}

/** Whether an upgrade path leads from all of these versions (A42). */
export function leadsFromAll(pattern: string, versions: readonly string[], matches: VersionMatcher): boolean {
  return versions.every(version => matches(pattern, version))
}

/** Returns why a version has to wait: no path leads from what runs to it. `''` is no version. */
export function noPathText(running: readonly string[], version: string): string {
  const from = running.toSorted().map(text => (text === '' ? 'no version' : text))
  return `no entry of "upgrade-from" leads from ${from.join(' and ')} to ${version === '' ? 'this one' : version}`
}
