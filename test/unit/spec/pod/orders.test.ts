import { expect } from 'chai'
import { app, builtPod, pod } from './built-pod.ts'

const say = (name: string, value: unknown) => ({
  name: `tallyman/${name}`,
  value: typeof value === 'string' ? value : JSON.stringify(value),
})

const entry = (dockerTag: string, dockerName = 'main') => ({ dockerName, dockerTag })

describe('what annotations of a pod order', () => {
  it('H25 G12 is a strategy as application specifications have it, in JSON or YAML', () => {
    const strategyOf = (text: string) => {
      const { application, problems } = builtPod(pod({ annotations: [say('strategy', text)] }))
      expect(problems).to.deep.equal([])
      return application?.services[0]?.strategy
    }
    const asked = { type: 'rolling', maxSurge: 0, maxUnavailable: 1, healthyMs: 3_000, timeoutMs: 60_000 }
    const json =
      '{"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1, "healthyTime": "3s", "timeoutSeconds": 60}}'
    const yaml =
      'type: RollingUpdate\nrollingUpdate:\n  maxSurge: 0\n  maxUnavailable: 1\n  healthyTime: 3s\n  timeoutSeconds: 60\n'
    expect(strategyOf(json)).to.deep.include(asked)
    expect(strategyOf(yaml)).to.deep.include(asked)
    expect(builtPod(pod()).application?.services[0]?.strategy.type).to.equal('auto')
  })

  it('C13 H25 waits for the main program as long as the strategy says', () => {
    const eventHandlers = [{ name: 'pre-start', exec: ['/bin/true'] }]
    const rollingUpdate = { healthyTime: '42s' }
    const { apps } = builtPod(
      pod({ apps: [app({}, { eventHandlers })], annotations: [say('strategy', { rollingUpdate })] }),
    )
    expect(JSON.stringify(apps[0]?.healthcheck)).to.include('-ge 42')
  })

  it('H1 H8 H21 runs hooks in the container of an app, without its event handlers', () => {
    const execNewPod = {
      containerName: 'main',
      command: ['/bin/migrate'],
      env: { LEVEL: '3' },
      volumes: ['data'],
    }
    const { application, problems } = builtPod(
      pod({
        apps: [
          app(
            {
              mounts: [
                { volume: 'data', path: '/data' },
                { volume: 'cache', path: '/cache' },
              ],
            },
            { user: '7', eventHandlers: [{ name: 'pre-start', exec: ['/bin/true'] }] },
          ),
        ],
        volumes: [
          { name: 'data', kind: 'empty' },
          { name: 'cache', kind: 'empty' },
        ],
        annotations: [
          say('strategy', { type: 'Recreate', recreate: { pre: { failurePolicy: 'Abort', execNewPod } } }),
        ],
      }),
    )
    expect(problems).to.deep.equal([])
    const [job] = application?.services[0]?.jobs ?? []
    expect([job?.stage, job?.onFailure]).to.deep.equal(['pre', 'abort'])
    expect(job?.container).to.deep.include({ entrypoint: ['/bin/migrate'], user: '7:0' })
    expect(job?.container).to.not.have.any.keys('handlers', 'mayEnd')
    expect(job?.container.env).to.deep.include({ LEVEL: '3', AC_APP_NAME: 'main', TALLYMAN_HOOK: 'pre' })
    expect(job?.container.mounts?.map(({ path }) => path)).to.deep.equal(['/data', '/.tallyman'])
  })

  it('C53 H1 runs hooks on no network of the metadata service, because they are no apps of the pod', () => {
    const execNewPod = { containerName: 'main', command: ['/bin/migrate'] }
    const { application, instance } = builtPod(
      pod({ annotations: [say('strategy', { rollingUpdate: { pre: { execNewPod } } })] }),
    )
    expect(instance?.attachments).to.have.length(1)
    const [job] = application?.services[0]?.jobs ?? []
    expect([job?.network, job?.attachments, job?.volumes]).to.deep.equal([{ name: 'prod' }, undefined, []])
  })

  it('G11 requires other applications in a range of versions', () => {
    const { application, problems } = builtPod(
      pod({ annotations: [say('requires', 'queue: ^1.2.0\ndb: 1.10\n')] }),
    )
    expect(problems).to.deep.equal([])
    expect(application?.requires).to.deep.equal([
      { application: 'db', range: '1.10' },
      { application: 'queue', range: '^1.2.0' },
    ])
  })

  it('G13 is judged as in an application specification, at the place of the text', () => {
    const problemsOf = (...annotations: readonly object[]) => builtPod(pod({ annotations })).problems
    expect(problemsOf(say('strategy', { type: 'Sideways' }))[0]).to.match(
      /^\/annotations\/0\/value says: \/strategy\/type must be one of .* \(pod-invalid\)$/,
    )
    expect(problemsOf(say('strategy', 'type: [')).join()).to.include(
      '/annotations/0/value is neither YAML nor JSON: ',
    )
    expect(problemsOf(say('requires', { db: 'newest' }))).to.deep.equal([
      '/annotations/0/value says: /requires/db "newest" is no range of versions (pod-invalid)',
    ])
    const execNewPod = { containerName: 'other', command: ['x'] }
    expect(problemsOf(say('strategy', { rollingUpdate: { pre: { execNewPod } } })).join()).to.include(
      '"other" is no container of the service worker',
    )
  })

  it('C7 G13 refuses what pods do not have, with the reason and what there is instead', () => {
    const problemsOf = (name: string) => builtPod(pod({ annotations: [{ name, value: '' }] })).problems
    for (const name of ['replicas', 'hooks', 'routes', 'probes', 'variables', 'secrets'])
      expect(problemsOf(`tallyman/${name}`).join()).to.match(
        new RegExp(
          `^/annotations/0/name is "tallyman/${name}", which is not for pods[,;] .* \\(pod-invalid\\)$`,
        ),
      )
    expect(problemsOf('tallyman/stategy')).to.deep.equal([
      '/annotations/0/name is "tallyman/stategy"; of the names that begin with tallyman/ there are only tallyman/restart, tallyman/strategy, tallyman/requires; did you mean "tallyman/strategy"? (pod-invalid)',
    ])
    expect(problemsOf('tallyman/restarts').join()).to.include('; did you mean "tallyman/restart"? (')
    expect(problemsOf('tallyman/weather').join()).not.to.include('did you mean')
    expect(problemsOf('example.com/strategy')).to.deep.equal([])
    const annotations = [say('strategy', {})]
    expect(builtPod(pod({ apps: [app({ annotations })] })).problems).to.deep.equal([
      '/apps/0/annotations/0/name is "tallyman/strategy", which is for the pod as a whole; write it among the annotations of the pod (pod-invalid)',
    ])
  })

  it('C30 H26 is no strategy that would publish a port twice', () => {
    const ports = [{ name: 'http', hostPort: 8080, podPort: { name: 'http', protocol: 'tcp', port: 80 } }]
    const rolling = say('strategy', { type: 'RollingUpdate' })
    expect(builtPod(pod({ ports, annotations: [rolling] })).problems).to.deep.equal([
      '/annotations/0/value says: /strategy is RollingUpdate, but only one instance can publish host port 8080; set maxSurge 0 or Recreate (pod-invalid)',
    ])
  })
})

describe('the instances of a pod', () => {
  it('E25 X3 are as many as the manifest names its images', () => {
    const { application, problems } = builtPod(pod(), { containers: [entry('1'), entry('1'), entry('1')] })
    expect(problems).to.deep.equal([
      // Its id is that of one image, whatever its tag is.
    ])
    const instances = application?.services[0]?.instances ?? []
    expect(instances).to.have.length(3)
    expect(new Set(instances).size, 'equal ones are one value').to.equal(1)
  })

  it('E25 X3 have the images of their own entries, and share those with a single one', () => {
    const image = (name: string) => ({
      name: `example.com/${name}`,
      labels: [{ name: 'version', value: '0' }],
    })
    const { application, problems } = builtPod(
      pod({
        apps: [
          app({ image: image('main') }),
          app({ name: 'log', image: image('log') }),
          app({ name: 'own', image: image('own') }),
        ],
      }),
      {
        registry: 'reg.example.com',
        containers: [entry('1'), entry('7', 'log'), entry('2')],
      },
    )
    expect(problems).to.deep.equal([])
    const instances = application?.services[0]?.instances ?? []
    expect(instances.map(({ containers }) => containers.map(({ image }) => image.reference))).to.deep.equal([
      ['reg.example.com/main:1', 'reg.example.com/log:7', 'example.com/own:0'],
      ['reg.example.com/main:2', 'reg.example.com/log:7', 'example.com/own:0'],
    ])
  })

  it('E25 are not guessed where images have different numbers of entries', () => {
    const image = (name: string) => ({
      name: `example.com/${name}`,
      labels: [{ name: 'version', value: '0' }],
    })
    const { problems } = builtPod(
      pod({ apps: [app({ image: image('main') }), app({ name: 'log', image: image('log') })] }),
      { containers: [entry('1'), entry('2'), entry('3'), entry('7', 'log'), entry('8', 'log')] },
    )
    expect(problems).to.deep.equal([
      'environments/prod/manifest.json:3:5: worker: 2 entries pin the image example.com/log of applications/worker.json, and 3 pin example.com/main; each image has one entry, or one for every instance (container-unmatched)',
    ])
  })

  it('C31 publish no port of the host together', () => {
    const ports = [{ name: 'http', hostPort: 8080, podPort: { name: 'http', protocol: 'tcp', port: 80 } }]
    expect(builtPod(pod({ ports }), { containers: [entry('1'), entry('1')] }).problems).to.deep.equal([
      '/ports/0 are published, and the manifest names the images of the pod 2 times; only one instance can publish port 8080 (pod-invalid)',
    ])
  })
})
