import { expect } from 'chai'
import { mergeAnnotations } from '../../../lib/metadata/annotations.ts'
import { recordOf } from '../../../lib/metadata/record.ts'
import { reifiedPod } from '../../../lib/state/application/pod/reified-pod.ts'
import { app, builtPod, digest, pod } from '../spec/pod/built-pod.ts'

describe('what the metadata service knows of a pod', () => {
  it('C55 puts the annotations of the app in the place of those of its image, and new ones behind', () => {
    const image = [
      { name: 'created', value: 'then' },
      { name: 'homepage', value: 'https://example.com' },
    ]
    const app = [
      { name: 'foo', value: 'baz' },
      { name: 'created', value: 'now' },
    ]
    expect(mergeAnnotations(image, app)).to.deep.equal([
      { name: 'created', value: 'now' },
      { name: 'homepage', value: 'https://example.com' },
      { name: 'foo', value: 'baz' },
    ])
  })

  it('C4 C53 is the manifest of what runs, its annotations, and for each app its image', () => {
    const { instance } = builtPod(
      pod({
        annotations: [{ name: 'ip-address', value: '10.1.2.3' }],
        apps: [app({ annotations: [{ name: 'foo', value: 'baz' }] }), app({ name: 'side' })],
      }),
    )
    if (instance === undefined) throw new Error('there is no pod')
    const containers = instance.containers.map(one => ({
      ...one,
      image: { ...one.image, pin: { state: 'pinned' as const, digest } },
    }))
    const [first, ...others] = containers
    const reified = first && reifiedPod({ ...instance, containers: [first, ...others] })
    if (reified === undefined) throw new Error('it is no pod')
    const { manifest, images } = reified
    const id = digest.replace(':', '-')
    expect(recordOf('0f5c8a4e-38a1-4d54-9b0e-7d1a1f0c9e55', reified)).to.deep.equal({
      uuid: '0f5c8a4e-38a1-4d54-9b0e-7d1a1f0c9e55',
      manifest,
      annotations: [{ name: 'ip-address', value: '10.1.2.3' }],
      apps: {
        main: {
          annotations: [{ name: 'foo', value: 'baz' }],
          imageId: id,
          imageManifest: images['main'],
        },
        side: { annotations: [], imageId: id, imageManifest: images['side'] },
      },
    })
  })
})
