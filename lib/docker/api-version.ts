/** The newest version of the Engine API whose answers are known here. */
const newest = '1.51'

/** The API version to speak with an engine: its newest, but none newer than known here. */
export function apiVersion(offered: string): string {
  return minorOf(offered) < minorOf(newest) ? offered : newest
}

function minorOf(version: string): number {
  const [major = '0', minor = '0'] = version.split('.')
  return Number(major) * 1000 + Number(minor)
}
