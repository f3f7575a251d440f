import { expect } from 'chai'
import { app, builtPod, pod } from '../built-pod.ts'

describe('event handlers of an app', () => {
  it('C13 get the shell of the sandbox, in a place that is there also if the file system is read-only', () => {
    const { apps, problems } = builtPod(
      pod({
        apps: [
          app({ readOnlyRootFS: true }, { eventHandlers: [{ name: 'pre-start', exec: ['/bin/migrate'] }] }),
        ],
      }),
      { containers: [] },
    )
    expect(problems).to.deep.equal([])
    expect(apps[0]).to.deep.include({
      entrypoint: ['/bin/main'],
      handlers: { preStart: ['/bin/migrate'] },
    })
    expect(apps[0], 'that of its image').not.to.have.property('stopSignal')
    expect(apps[0]?.mounts).to.deep.equal([{ kind: 'files', path: '/.tallyman' }])
  })

  it('C13 need programs of their own and a main one that is known', () => {
    const eventHandlers = [{ name: 'pre-start' }, { name: 'post-stop', exec: ['/bin/x'] }]
    expect(
      builtPod(pod({ apps: [app({}, { exec: undefined, eventHandlers })] }), { containers: [] }).problems,
    ).to.deep.equal([
      '/apps/0/app/eventHandlers stand in an app without "exec", and what its image runs is not known here (pod-unrunnable)',
      '/apps/0/app/eventHandlers/0 has no "exec", so there is nothing to run (pod-unrunnable)',
    ])
  })

  it('C13 G12 count as healthy once the main program has run for the healthy time, and not while one runs before it', () => {
    const { apps } = builtPod(
      pod({ apps: [app({}, { eventHandlers: [{ name: 'pre-start', exec: ['/bin/migrate'] }] })] }),
    )
    expect(apps[0]?.healthcheck).to.deep.include({
      kind: 'command',
      test: [
        'CMD',
        '/.tallyman/busybox',
        'sh',
        '-c',
        'read -r since </.tallyman/state/started && read -r now _ </proc/uptime && [ $((${now%%.*} - since)) -ge 10 ]',
      ],
    })
  })

  it('C13 cannot run where something else is mounted over their shell', () => {
    const { problems } = builtPod(
      pod({
        apps: [
          app(
            { mounts: [{ volume: 'v', path: '/.tallyman/x' }] },
            { eventHandlers: [{ name: 'post-stop', exec: ['/bin/x'] }] },
          ),
        ],
        volumes: [{ name: 'v', kind: 'empty' }],
      }),
      { containers: [] },
    )
    expect(problems).to.deep.equal([
      '/apps/0/mounts mounts /.tallyman/x, where tallyman puts the shell that runs event handlers (pod-unrunnable)',
    ])
  })
})
