/** Where a change of an application goes that leaves its version as it is: to all sites that have it, at once (A11). */
export type SameVersion = {
  /** The name of the deployment. */
  readonly deployment: string
  readonly version: string
  /** How many sites have the version. */
  readonly having: number
  /** How many sites the deployment means. */
  readonly sites: number
}

/** Returns `the version stays 2, so this goes to all 4 sites at once`. */
export function atOnceText(same: Pick<SameVersion, 'version' | 'having' | 'sites'>): string {
  return `the version stays ${same.version}, so this goes to ${havingText(same)} at once`
}

function havingText({ having, sites }: Pick<SameVersion, 'having' | 'sites'>): string {
  if (having < sites) return having === 1 ? 'the site that has it' : `the ${having} sites that have it`
  return sites === 1 ? 'its only site' : `all ${sites} sites`
}
