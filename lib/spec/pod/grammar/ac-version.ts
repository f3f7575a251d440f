import parse from 'semver/functions/parse.js'
import type { Parsed } from '../../../state/parsed.ts'
import { malformed, parsed } from '../../../state/parsed.ts'

/** The version of the App Container specification that Tallyman carries out. */
export const acVersion = '0.8.11'

/** Parses the version of a manifest: that of the specification, or an earlier one of its major version (C1). */
export function parseAcVersion(text: string): Parsed<string> {
  // The parser takes blanks around a version, and signs before it.
  const version = text.length <= longest && /^\d\S*$/.test(text) ? parse(text) : null
  if (version === null)
    return malformed(`"${text.slice(0, longest)}" is no version; write for example ${acVersion}`)
  if (version.major !== 0 || version.compare(acVersion) > 0)
    return malformed(`is ${version.version}, and ${acVersion} is the last version that is known`)
  return parsed(version.version)
}

const longest = 64
