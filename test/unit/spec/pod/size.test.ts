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
})
