import { platformName } from '../../state/image/platform.ts'
import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'
import { nearest } from '../../text/suggestion/nearest.ts'

/** The platform of an image, `linux/arm64` or `linux/arm/v7`, in the one spelling that images are compared in. */
export function parsePlatform(text: string): Parsed<string> {
  const [, os, architecture, variant] = /^(\w+)\/([\w-]+)(?:\/(v?\d+))?$/.exec(text) ?? []
  const platform = platformName(os, architecture, variant)
  if (platform === undefined) return malformed(`"${text}" is no platform; write for example linux/arm64`)
  const [system = '', name = ''] = platform.split('/')
  if (system !== 'linux') return malformed(`"${text}" is no platform of Linux; write for example linux/arm64`)
  if (architectures.includes(name)) return parsed(platform)
  const meant = nearest(name, architectures)
  const instead =
    meant === undefined ? `there are ${architectures.join(', ')}` : `did you mean "linux/${meant}"?`
  return malformed(`"${text}" names no architecture of Linux; ${instead}`)
}

const architectures = ['386', 'amd64', 'arm', 'arm64', 'loong64', 'mips64le', 'ppc64le', 'riscv64', 's390x']
