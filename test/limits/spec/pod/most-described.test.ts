import { expect } from 'chai'
import { noSize } from '../../../../lib/spec/build/size.ts'
import { app, builtPod, pod } from '../../../unit/spec/pod/built-pod.ts'

describe('how large a pod may become', () => {
  it('G24 counts containers with the sandbox of each instance, and hooks', () => {
    const taken = { ...noSize, containers: 9_997 }
    const hook = (containerName: string) => ({
      name: 'tallyman/strategy',
      value: JSON.stringify({
        type: 'Recreate',
        recreate: { pre: { failurePolicy: 'Abort', execNewPod: { containerName, command: ['/bin/x'] } } },
      }),
    })
    expect(builtPod(pod({ annotations: [hook('main')] }), { taken }).problems).to.deep.equal([])
    expect(
      builtPod(pod({ annotations: [hook('main')], apps: [app(), app({ name: 'other' })] }), { taken })
        .problems,
    ).to.deep.equal([
      'brings all applications together to more than 10000 containers, where those of each instance and each hook count; run fewer instances, or divide the environment (application-too-large)',
    ])
  })

  it('G24 counts what a pod is described with, also the path of a volume for each of its mounts', () => {
    const source = `/${'a'.repeat(4_000)}`
    const mounts = Array.from({ length: 250 }, (_, at) => ({ volume: 'long', path: `/m${at}` }))
    const apps = ['a', 'b', 'c', 'd', 'e'].map(name => app({ name, mounts }))
    const { problems } = builtPod(pod({ apps, volumes: [{ name: 'long', kind: 'host', source }] }))
    expect(problems).to.deep.equal([
      '/apps/4 brings the application to more than 4194304 characters, where the source of a volume counts for each of its mounts, and each hook; mount long paths once (application-too-large)',
    ])
  })

  it('G24 takes 1024 annotations of a pod and of an app, and refuses 10,000 with their place', () => {
    const named = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ name: `example.com/note-${at}`, value: 'x' }))
    const problemsOf = (ofPod: number, ofApp: number) =>
      builtPod(pod({ annotations: named(ofPod), apps: [app({ annotations: named(ofApp) })] })).problems
    expect(problemsOf(1_024, 1_024)).to.deep.equal([])
    expect(problemsOf(10_000, 1)).to.deep.equal(['/annotations must have at most 1024 entries (pod-invalid)'])
    expect(problemsOf(1, 10_000)).to.deep.equal([
      '/apps/0/annotations must have at most 1024 entries (pod-invalid)',
    ])
  })
})
