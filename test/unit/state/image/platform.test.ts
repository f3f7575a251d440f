import { expect } from 'chai'
import { parsePlatform } from '../../../../lib/spec/grammar/platform.ts'
import { platformName } from '../../../../lib/state/image/platform.ts'

describe('platforms of images', () => {
  for (const [said, name] of [
    [['linux', 'amd64'], 'linux/amd64'],
    [['linux', 'amd64', 'v1'], 'linux/amd64'],
    [['linux', 'amd64', 'v3'], 'linux/amd64/v3'],
    [['Linux', 'x86_64', ''], 'linux/amd64'],
    [['linux', 'arm64', 'v8'], 'linux/arm64'],
    [['linux', 'arm64', '8'], 'linux/arm64'],
    [['linux', 'aarch64'], 'linux/arm64'],
    [['linux', 'arm'], 'linux/arm/v7'],
    [['linux', 'arm', '6'], 'linux/arm/v6'],
    [['linux', 'armel'], 'linux/arm/v6'],
    [['linux', 'armv7l'], 'linux/arm/v7'],
    [['linux', 'armv6l'], 'linux/arm/v6'],
    [['linux', 's390x'], 'linux/s390x'],
    [['windows', 'amd64'], 'windows/amd64'],
    [['linux', ''], undefined],
    [[undefined, 'amd64'], undefined],
    [[1, {}], undefined],
  ] as const)
    it(`G9 spells ${JSON.stringify(said)} ${name ?? 'in no way'}`, () => {
      const [os, architecture, variant] = said
      expect(platformName(os, architecture, variant)).to.equal(name)
    })

  for (const [text, value] of [
    ['linux/amd64', 'linux/amd64'],
    ['linux/arm64/v8', 'linux/arm64'],
    ['linux/arm/7', 'linux/arm/v7'],
    ['LINUX/S390X', 'linux/s390x'],
  ] as const)
    it(`A45 reads ${text}`, () => {
      expect(parsePlatform(text)).to.deep.equal({ ok: true, value })
    })

  for (const [text, reason] of [
    ['linux', '"linux" is no platform; write for example linux/arm64'],
    ['arm64', '"arm64" is no platform; write for example linux/arm64'],
    ['linux/arm64/v8/x', '"linux/arm64/v8/x" is no platform; write for example linux/arm64'],
    ['windows/amd64', '"windows/amd64" is no platform of Linux; write for example linux/arm64'],
    ['linux/amd46', '"linux/amd46" names no architecture of Linux; did you mean "linux/amd64"?'],
    [
      'linux/vax',
      '"linux/vax" names no architecture of Linux; there are 386, amd64, arm, arm64, loong64, mips64le, ppc64le, riscv64, s390x',
    ],
  ] as const)
    it(`A45 refuses ${text}`, () => {
      expect(parsePlatform(text)).to.deep.equal({ ok: false, reason })
    })
})
