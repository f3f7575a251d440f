import { expect } from 'chai'
import { noSize } from '../../../../lib/spec/build/size.ts'
import { app, builtPod, pod } from './built-pod.ts'

const ranges = (...counts: readonly number[]) =>
  pod({
    apps: [
      app(
        {},
        { ports: counts.map((count, at) => ({ name: `p${at}`, protocol: 'tcp', port: 10_000, count })) },
      ),
    ],
    ports: counts.map((_, at) => ({ name: `p${at}`, hostPort: 10_000 })),
  })

const tooManyPorts =
  'brings the application to more than 4096 ports, where each port of a range counts; publish fewer (application-too-large)'

describe('how large a pod may become', () => {
  it('G24 C31 publishes as many ports as any application, and counts a range before it is expanded', () => {
    expect(builtPod(ranges(4_096)).problems).to.deep.equal([])
    const { problems, application } = builtPod(ranges(5_000))
    expect(problems).to.deep.equal([`/ports/0 ${tooManyPorts}`])
    expect(application?.services[0]?.instances).to.deep.equal([])
  })

  it('G24 C31 counts the ports of all ranges, also those that a pod describes itself', () => {
    expect(builtPod(ranges(2_048, 2_048, 1)).problems).to.deep.equal([`/ports/2 ${tooManyPorts}`])
    const podPort = (protocol: string) => ({ name: 'all', protocol, port: 1, count: 65_535 })
    const ports = ['tcp', 'udp'].map(protocol => ({ name: 'all', hostPort: 1, podPort: podPort(protocol) }))
    expect(builtPod(pod({ ports })).problems).to.deep.equal([`/ports/0 ${tooManyPorts}`])
  })

  it('G24 names the limit of all applications together', () => {
    const taken = { ...noSize, ports: 32_768 }
    expect(builtPod(ranges(1), { taken }).problems).to.deep.equal([
      '/ports/0 brings all applications together to more than 32768 ports, where each port of a range counts; publish fewer (application-too-large)',
    ])
  })

  it('G24 E25 has as many instances as any application', () => {
    const named = (count: number) =>
      Array.from({ length: count }, () => ({ dockerName: 'main', dockerTag: '1' }))
    const image = { name: 'reg.example.com/team/main', labels: [{ name: 'version', value: '1' }] }
    const built = (count: number) => builtPod(pod({ apps: [app({ image })] }), { containers: named(count) })
    expect(built(1_000).problems).to.deep.equal([])
    const { problems, application } = built(1_001)
    expect(problems).to.deep.equal([
      'environments/prod/manifest.json:3:5: worker: 1001 entries pin the image reg.example.com/team/main of applications/worker.json, and an application has at most 1000 instances; divide it into several applications (application-too-large)',
    ])
    expect(application?.services[0]?.instances).to.have.lengthOf(1)
  })

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
