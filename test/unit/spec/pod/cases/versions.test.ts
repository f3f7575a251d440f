import { expect } from 'chai'
import { app, builtPod, pod } from '../built-pod.ts'
import { type Built, expectOutcome, refused, shown } from './outcome.ts'

const hex = 'c0ffee'.repeat(11).slice(0, 64)

describe('C1 cases of versions and kinds', () => {
  for (const acVersion of [
    '0.8.11',
    '0.8.10',
    '0.0.0',
    '0.1.0',
    '0.8.11+git',
    '0.8.11-rc.1',
    '0.8.0-dev+a.b',
  ])
    it(`reads a manifest of ${acVersion}, and runs one of 0.8.11`, () => {
      expectOutcome(pod({ acVersion }), ({ instance }) => instance?.pod?.manifest.acVersion, '0.8.11')
    })

  for (const [acVersion, shownAs] of [
    ['0.8.12', '0.8.12'],
    ['0.8.12-alpha', '0.8.12-alpha'],
    ['0.9.0', '0.9.0'],
    ['0.10.0+build', '0.10.0'],
    ['1.30.0', '1.30.0'],
    ['2.0.0-rc1', '2.0.0-rc1'],
  ] as const)
    it(`refuses ${acVersion}, which is newer`, () => {
      expectOutcome(
        pod({ acVersion }),
        () => 'accepted',
        refused(`/acVersion is ${shownAs}, and 0.8.11 is the last version that is known`),
      )
    })

  for (const acVersion of [
    ...[' 0.8.11', '0.8.11 ', '0.8.11\n', 'v0.8.11', ' v0.8.11', '=0.8.11', '00.8.11', '0.08.11'],
    ...['0.8.x', '0', '0.8.11.0', '0.8.-1', '0,8,11', '^0.8.11', '0.8.11-', '0.8.11-01', '０.8.11'],
  ])
    it(`refuses ${shown(acVersion)}, which is no version`, () => {
      expectOutcome(
        pod({ acVersion }),
        () => 'accepted',
        refused(`/acVersion "${acVersion}" is no version; write for example 0.8.11`),
      )
    })

  for (const [acVersion, kind] of [
    [0.8, '0.8; put it in quotes: "0.8"'],
    [null, 'null'],
    [['0.8.11'], 'a list'],
  ] as const)
    it(`refuses ${shown(acVersion)}, which is no text`, () => {
      expectOutcome(pod({ acVersion }), () => 'accepted', refused(`/acVersion must be a text, not ${kind}`))
    })

  for (const acKind of ['podmanifest', 'Podmanifest', 'PodManifest ', 'Pod', 'AppManifest', '', 1, null])
    it(`refuses the kind ${shown(acKind)}`, () => {
      const { problems } = builtPod({ ...pod(), acKind })
      const written = JSON.stringify(acKind)
      expect(problems).to.deep.equal([`/acKind must be "PodManifest", not ${written} (pod-invalid)`])
    })
})

describe('C3 X10 D14 cases of image ids', () => {
  const image = { name: 'reg.example.com/team/main', labels: [{ name: 'version', value: '1' }] }
  const withId = (id: unknown) => pod({ apps: [app({ image: { ...image, id } })] })
  const expected = ({ apps }: Built) => apps[0]?.image.expectedDigest
  const kept = ({ instance }: Built) => instance?.pod?.manifest.apps[0]?.annotations

  for (const [id, digest] of [
    [`sha256-${hex}`, `sha256:${hex}`],
    [`sha256-${hex.toUpperCase()}`, `sha256:${hex}`],
  ] as const)
    it(`${shown(id)} is the digest that the image has to have`, () => {
      expectOutcome(withId(id), expected, digest)
    })

  for (const id of ['sha512-0', 'sha512-ABCdef09', `sha512-${hex}${hex}`])
    it(`${shown(id)} is that of an archive, and is kept`, () => {
      expectOutcome(withId(id), kept, [{ name: 'tallyman/image-id', value: id }])
    })

  for (const id of [
    ...[`sha256:${hex}`, `sha256-${hex.slice(1)}`, `sha256-${hex}0`, `sha256-${hex.slice(1)}g`, 'sha256-'],
    ...[
      'sha512-',
      'sha512:00',
      'sha512-xyz',
      `sha512-${hex}${hex}0`,
      'SHA512-00',
      ' sha512-00',
      'sha512-00 ',
    ],
    ...['sha384-00', `sha1-${hex.slice(24)}`, '00', 'latest', '-sha512-00', 'sha512--00', 'sha512-0x00'],
  ])
    it(`refuses ${shown(id)}`, () => {
      expectOutcome(
        withId(id),
        expected,
        refused(
          `/apps/0/image/id "${id.slice(0, 40)}" is no image id; write sha256- and the 64 hex digits of the digest, or sha512- and those of an archive`,
        ),
      )
    })
})
