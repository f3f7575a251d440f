import type { NamedText } from '../../state/application/pod/pod.ts'
import { platformName } from '../../state/image/platform.ts'

/** The operating system of all Docker hosts. */
export const hostSystem = 'linux'

/** The architectures of an operating system as the specification spells them, by those of registries. */
const architectures: ReadonlyMap<string, string> = new Map([
  ['amd64', 'amd64'],
  ['386', 'i386'],
  ['arm64', 'aarch64'],
  ['arm/v6', 'armv6l'],
  ['arm/v7', 'armv7l'],
  ['ppc64', 'ppc64'],
  ['ppc64le', 'ppc64le'],
  ['s390x', 's390x'],
])

/**
 * Returns the platform that the labels of an image mean, in its one spelling; undefined if they name no architecture.
 * Without the label `os`, it is that of all Docker hosts.
 */
export function labelledPlatform(labels: readonly NamedText[]): string | undefined {
  const labelled = (wanted: string) => labels.find(({ name }) => name === wanted)?.value
  const arch = labelled('arch')
  const named = [...architectures].find(([, one]) => one === arch)?.[0] ?? arch
  return platformName(labelled('os') ?? hostSystem, named)
}

/** Returns the labels `os` and `arch` of a platform, as the specification spells them. */
export function platformLabels(platform: string): readonly NamedText[] {
  const [os = '', ...rest] = platform.split('/')
  const arch = rest.join('/')
  return [
    { name: 'os', value: os },
    { name: 'arch', value: architectures.get(arch) ?? arch },
  ]
}
