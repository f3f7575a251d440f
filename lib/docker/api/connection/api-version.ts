/** The newest version of the Engine API that this code knows. */
const newest = '1.51'

/** Returns the API version for an engine: its newest one, but none newer than this code knows. */
export function apiVersion(offered: string): string {
  return minorOf(offered) < minorOf(newest) ? offered : newest
}

function minorOf(version: string): number {
  const [major = '0', minor = '0'] = version.split('.')
  return Number(major) * 1000 + Number(minor)
}
