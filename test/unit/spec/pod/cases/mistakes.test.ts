import { expect } from 'chai'
import { app, builtPod, pod } from '../built-pod.ts'

describe('C1 a mistake causes one problem, whatever else stands beside it', () => {
  const handlers = [{ name: 'pre-start', exec: ['/x'] }]
  const http = { name: 'http', protocol: 'tcp', port: 80 }
  const cases: readonly (readonly [what: string, manifest: object, problem: string])[] = [
    [
      'a program that is no text',
      pod({ apps: [app({}, { exec: '/bin/main', eventHandlers: handlers })] }),
      '/apps/0/app/exec must be a list, not "/bin/main"',
    ],
    [
      'a mount without a place',
      pod({
        apps: [app({ mounts: [{ volume: 'data' }] }, { mountPoints: [{ name: 'data', path: '/data' }] })],
        volumes: [],
      }),
      '/apps/0/mounts/0/path is required',
    ],
    [
      'a port without a protocol',
      pod({
        apps: [app({}, { ports: [http, { name: 'admin', port: 81 }] })],
        ports: [{ name: 'http', hostPort: 80 }],
      }),
      '/apps/0/app/ports/1/protocol is required',
    ],
    [
      'a section without a user',
      pod({ apps: [app({ app: { group: '0', ports: [http] } })], ports: [{ name: 'http', hostPort: 80 }] }),
      '/apps/0/app/user is required',
    ],
    [
      'a podPort without a number',
      pod({ ports: [{ name: 'http', hostPort: 80, podPort: { name: 'http', protocol: 'tcp' } }] }),
      '/ports/0/podPort/port is required',
    ],
    [
      'labels without a text',
      pod({ apps: [app({ image: { name: 'reg.example.com/web', labels: [{ name: 'version' }] } })] }),
      '/apps/0/image/labels/0/value is required',
    ],
  ]
  for (const [what, manifest, problem] of cases)
    it(what, () => {
      const { problems, warnings } = builtPod(manifest, { containers: [] })
      expect({ problems, warnings }).to.deep.equal({ problems: [`${problem} (pod-invalid)`], warnings: [] })
    })
})
