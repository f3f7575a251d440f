/**
 * Returns the one spelling of a platform, as indexes, images and engines name it: `linux/arm64` for `linux/aarch64` and
 * `linux/arm64/v8`, and `linux/arm/v7` for `linux/arm`. Undefined without a system or an architecture.
 */
export function platformName(os: unknown, architecture: unknown, variant?: unknown): string | undefined {
  if (typeof os !== 'string' || typeof architecture !== 'string' || os === '' || architecture === '')
    return undefined
  const [name = '', own] = (otherNames.get(architecture.toLowerCase()) ?? architecture.toLowerCase()).split(
    '/',
  )
  const given = typeof variant === 'string' ? variant.toLowerCase().replace(/^(?=\d)/, 'v') : ''
  const said = own ?? (given === '' ? usual.get(name) : given)
  const shown = said === undefined || said === unsaid.get(name) ? [] : [said]
  return [os.toLowerCase(), name, ...shown].join('/')
}

const otherNames: ReadonlyMap<string, string> = new Map([
  ['x86_64', 'amd64'],
  ['x86-64', 'amd64'],
  ['i386', '386'],
  ['aarch64', 'arm64'],
  ['armhf', 'arm/v7'],
  ['armel', 'arm/v6'],
  // What engines on such machines say.
  ['armv7l', 'arm/v7'],
  ['armv6l', 'arm/v6'],
  ['armv8l', 'arm/v8'],
])

/** The variant that is meant where none is said. */
const usual: ReadonlyMap<string, string> = new Map([['arm', 'v7']])
/** The variant that is never said, since there was no other one for long. */
const unsaid: ReadonlyMap<string, string> = new Map([
  ['amd64', 'v1'],
  ['arm64', 'v8'],
])
