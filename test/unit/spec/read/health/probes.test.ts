import { expect } from 'chai'
import { sandboxScript } from '../../../../../lib/spec/probes/script.ts'
import { container, service } from '../../built.ts'

describe('probes (A44)', () => {
  it('A44 gives the sandbox a health check for http and tcp, as often as the shortest period', () => {
    const { instance, problems } = service(
      'probes: {liveness: {tcp: {port: 80}, period: 3s}, readiness: {http: {port: 80}}}',
      'strategy: {rollingUpdate: {timeoutSeconds: 120}}',
    )
    expect(problems).to.deep.equal([])
    const { test: _, ...rest } = { test: undefined, ...instance?.sandbox?.healthcheck }
    expect(rest).to.deep.equal({
      kind: 'command',
      intervalMs: 3_000,
      timeoutMs: 5_000,
      startPeriodMs: 120_000,
      retries: 1,
    })
    expect(instance?.sandbox?.mounts).to.deep.equal([{ kind: 'tmpfs', path: '/run', sizeBytes: 1_048_576 }])
    expect(instance?.containers[0]).not.to.have.any.keys('healthcheck', 'liveness')
  })

  it('A44 writes the numbers of each probe into the script, with the defaults', () => {
    const script = sandboxScript([
      {
        container: 'web',
        probes: {
          readiness: {
            action: { kind: 'http', scheme: 'http', port: 80, path: "/it's", host: 'localhost' },
            period: 10,
            timeout: 1,
            failures: 3,
            successes: 1,
            delay: 0,
          },
        },
      },
    ])
    expect(script.split('\n').slice(-10)).to.deep.equal([
      "echo 'web: not tried yet' >/run/state/web",
      '(',
      'name=web',
      'startup= startup_delay=0',
      'liveness= liveness_delay=0',
      'readiness=1 readiness_delay=0 readiness_period=10 readiness_failures=3 readiness_successes=1',
      "try_readiness() { http 1 80 '/it'\\''s' 'localhost'; }",
      'watch',
      ') &',
      'while :; do sleep 86400 & wait $!; done',
    ])
  })

  it('C50 does nothing but wait and reap where there are no probes', () => {
    expect(sandboxScript([])).to.equal("trap 'exit 0' TERM INT\nwhile :; do sleep 86400 & wait $!; done")
  })

  const command = (kind: string) =>
    container(
      `probes: {${kind}: {command: [check, now], period: 5s, timeout: 2s, failure-threshold: 4, initial-delay: 7s}}`,
    )
  const healthcheck = {
    kind: 'command',
    test: ['CMD', 'check', 'now'],
    intervalMs: 5_000,
    timeoutMs: 2_000,
    retries: 4,
  }

  it("A44 makes a command the container's own health check; it needs no sandbox", () => {
    expect(command('readiness')).to.deep.equal({ healthcheck: { ...healthcheck, startPeriodMs: 600_000 } })
    expect(command('liveness')).to.deep.equal({
      healthcheck: { ...healthcheck, startPeriodMs: 7_000 },
      liveness: 'command',
    })
    expect(command('startup')).to.deep.equal(command('liveness'))
  })

  const refused: readonly (readonly [string, string, string])[] = [
    ['no action', 'readiness: {period: 1s}', 'readiness needs exactly one of http, tcp, command'],
    [
      'two actions',
      'readiness: {tcp: {port: 1}, command: [a]}',
      'readiness needs exactly one of http, tcp, command',
    ],
    [
      'a part of a second',
      'readiness: {tcp: {port: 1}, period: 1500ms}',
      'readiness/period is not a whole number of seconds from 1 to 86400',
    ],
    [
      'no time at all',
      'readiness: {tcp: {port: 1}, timeout: 0s}',
      'readiness/timeout is not a whole number of seconds from 1 to 86400',
    ],
    [
      'G24 a time beyond all measure',
      'readiness: {tcp: {port: 1}, period: 1e308s}',
      'readiness/period "1e308s" is no duration; write for example 90s, 1m30s or 500ms',
    ],
    [
      'G24 a request within a request',
      'readiness: {http: {port: 1, path: "/ HTTP/1.1\\r\\nX: y"}}',
      'readiness/http/path is no path of a request; it begins with a slash and has no blanks, others are written as %20',
    ],
    [
      'a host that is none',
      'readiness: {http: {port: 1, host: "a b"}}',
      'readiness/http/host "a b" is no host name',
    ],
    [
      'several successes of what has to succeed once',
      'liveness: {tcp: {port: 1}, success-threshold: 2}',
      'liveness/success-threshold is more than 1, which is for readiness',
    ],
    [
      'two commands',
      'liveness: {command: [a]}, readiness: {command: [b]}',
      'readiness is a second command; an engine has one health check for a container',
    ],
    [
      'a startup command before others',
      'startup: {command: [a]}, readiness: {tcp: {port: 1}}',
      'startup cannot hold the others back: a command runs in the container, and http and tcp beside it',
    ],
  ]
  for (const [what, probes, problem] of refused)
    it(`A44 refuses ${what}`, () => {
      expect(container(`probes: {${probes}}`)).to.deep.equal({
        problems: [`probes/${problem} (application-invalid)`],
      })
    })

  it('A44 refuses a command beside a health check', () => {
    expect(container('healthcheck: {test: a}\nprobes: {readiness: {command: [a]}}')).to.deep.equal({
      problems: [
        'probes/readiness is a command and stands beside "healthcheck"; keep one of them (application-invalid)',
      ],
    })
  })
})
