import { app, pod } from '../built-pod.ts'
import { type Built, expectOutcome, type Refused, refused, shown, unrunnable } from './outcome.ts'

type Labels = Readonly<Record<string, string>>

const listed = (labels: Labels) => Object.entries(labels).map(([name, value]) => ({ name, value }))
const labelled = (labels: readonly object[]) =>
  pod({ apps: [app({ image: { name: 'reg.example.com/web', labels } })] })

const place = '/apps/0/image/labels'

describe('C2 C4 cases of the labels of an image', () => {
  const platform = ({ apps }: Built) => apps[0]?.image.platform

  const linux = 'amd64, i386, aarch64, aarch64_be, armv6l, armv7l, armv7b, ppc64, ppc64le, s390x'
  const cases: readonly (readonly [Labels, string | undefined | Refused])[] = [
    [{}, undefined],
    [{ os: 'linux' }, undefined],
    [{ os: 'linux', arch: 'i386' }, 'linux/386'],
    [{ os: 'linux', arch: 'aarch64' }, 'linux/arm64'],
    [{ os: 'linux', arch: 'aarch64_be' }, 'linux/aarch64_be'],
    [{ os: 'linux', arch: 'armv7l' }, 'linux/arm/v7'],
    [{ os: 'linux', arch: 'ppc64' }, 'linux/ppc64'],
    [{ os: 'linux', arch: 'ppc64le' }, 'linux/ppc64le'],
    [{ arch: 'amd64' }, 'linux/amd64'],
    [{ arch: 'armv6l' }, 'linux/arm/v6'],
    [{ arch: 's390x', os: 'linux' }, 'linux/s390x'],
    [
      { os: 'linux', arch: 'x86_64' },
      refused(`${place}/2/value "x86_64" is no architecture of linux; there are ${linux}`),
    ],
    [
      { os: 'linux', arch: 'AMD64' },
      refused(`${place}/2/value "AMD64" is no architecture of linux; there are ${linux}`),
    ],
    [
      { os: 'linux', arch: '' },
      refused(`${place}/2/value "" is no architecture of linux; there are ${linux}`),
    ],
    [
      { arch: 'arm', os: 'linux' },
      refused(`${place}/1/value "arm" is no architecture of linux; there are ${linux}`),
    ],
    [{ os: 'freebsd' }, unrunnable(`${place}/1/value is freebsd, and pods run on linux only`)],
    [{ os: 'freebsd', arch: 'arm' }, unrunnable(`${place}/1/value is freebsd, and pods run on linux only`)],
    [{ os: 'darwin', arch: 'x86_64' }, unrunnable(`${place}/1/value is darwin, and pods run on linux only`)],
    [{ os: 'darwin', arch: 'i386' }, unrunnable(`${place}/1/value is darwin, and pods run on linux only`)],
    [
      { os: 'darwin', arch: 'amd64' },
      {
        refused: [
          `${place}/1/value is darwin, and pods run on linux only (pod-unrunnable)`,
          `${place}/2/value "amd64" is no architecture of darwin; there are x86_64, i386 (pod-invalid)`,
        ],
      },
    ],
    ...['windows', 'plan9', 'Linux', 'linux ', 'linux/amd64', ''].map(
      os =>
        [{ os }, refused(`${place}/1/value "${os}" is no system; there are linux, freebsd, darwin`)] as const,
    ),
    [
      { os: 'openbsd', arch: 'amd64' },
      refused(`${place}/1/value "openbsd" is no system; there are linux, freebsd, darwin`),
    ],
    [{ name: 'web' }, refused(`${place}/1/name is "name"; the name of an image stands beside its labels`)],
  ]
  for (const [labels, expected] of cases)
    it(`${shown(labels)} choose ${typeof expected === 'string' ? expected : expected === undefined ? 'no platform' : 'nothing'}`, () => {
      expectOutcome(labelled(listed({ version: '1', ...labels })), platform, expected)
    })

  it('refuses a label that stands there twice, even with the same text', () => {
    const labels = ['version', 'channel', 'version'].map(name => ({ name, value: '1' }))
    expectOutcome(labelled(labels), platform, refused(`${place}/2/name is "version" a second time`))
  })

  it('refuses a label without a text, and one with a number', () => {
    expectOutcome(labelled([{ name: 'version' }, { name: 'build', value: 7 }]), platform, {
      refused: [
        `${place}/0/value is required (pod-invalid)`,
        `${place}/1/value must be a text, not 7; put it in quotes: "7" (pod-invalid)`,
      ],
    })
  })
})

describe('C4 cases of the version of an image', () => {
  const reference = ({ apps }: Built) => apps[0]?.image.reference
  const versioned = (version: string) => labelled(listed({ version }))

  for (const version of ['1', '1.0.0', 'latest', '3.2.1-rc.1', '2016_04', 'v1', 'A', '_', 'x'.repeat(128)])
    it(`${shown(version)} is its tag`, () => {
      expectOutcome(versioned(version), reference, `reg.example.com/web:${version}`)
    })

  for (const version of ['', '.1', '-1', '1.0.0+build', '1/2', '1:2', '1 2', '1@2', 'ä', 'x'.repeat(129)])
    it(`${shown(version)} is no tag`, () => {
      expectOutcome(
        versioned(version),
        reference,
        unrunnable(
          `${place}/0/value "${version.slice(0, 40)}" is no tag, which is 1 to 128 letters, digits, "_", "." or "-"`,
        ),
      )
    })
})
