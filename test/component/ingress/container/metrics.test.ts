import { execFile } from 'node:child_process'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { commands } from '../../../../lib/ingress/container/commands.ts'
import { requestFigures } from '../../../../lib/ingress/figures.ts'

const run = promisify(execFile)
const figuresOf = (metrics: string) => requestFigures(metrics, async () => undefined)

const limits = ['0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '+Inf']

type Series = {
  readonly host: string
  readonly code: number
  readonly method: string
  readonly server: string
}

const bytes = ['256', '1024', '4096', '16384', '65536', '262144', '1.048576e+06', '4.194304e+06', '+Inf']

/** A histogram of Caddy: ten requests of each series. */
function histogram(name: string, limits: readonly string[], series: readonly Series[]): readonly string[] {
  return series.flatMap(({ host, code, method, server }) => {
    const labels = `code="${code}",handler="subroute",host="${host}",method="${method}",server="${server}"`
    return [
      ...limits.map(
        (limit, index) => `caddy_http_${name}_bucket{${labels},le="${limit}"} ${Math.min(index, 10)}`,
      ),
      `caddy_http_${name}_sum{${labels}} 0.1`,
      `caddy_http_${name}_count{${labels}} 10`,
    ]
  })
}

/** All of Caddy's metrics of requests: ten of each series, of which it answers one by itself. */
function metricsOf(series: readonly Series[]): string {
  const counted = (name: string, value: number) =>
    [
      ...new Set(series.map(({ host, server }) => `handler="subroute",host="${host}",server="${server}"`)),
    ].map(labels => `caddy_http_request${name}{${labels}} ${value}`)
  return [
    'go_goroutines 12',
    '# TYPE caddy_http_request_duration_seconds histogram',
    ...histogram('request_duration_seconds', limits, series),
    ...counted('_errors_total', 1),
    ...histogram('request_size_bytes', bytes, series),
    ...counted('s_total', 1.5e6),
    ...histogram('response_duration_seconds', limits, series),
    ...histogram('response_size_bytes', bytes, series),
    '',
  ].join('\n')
}

/** What the command prints where `wget` does this. */
async function printed(wget: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'tallyman-metrics-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory.path, name), text)
  await writeFile(join(directory.path, 'wget'), `#!/bin/sh\ncd '${directory.path}'\n${wget}\n`, {
    mode: 0o755,
  })
  const [program = '', ...more] = commands.metrics.argv
  const env = { PATH: `${directory.path}:/usr/bin:/bin` }
  return (await run(program, more, { env, maxBuffer: commands.metrics.mostBytes })).stdout
}

const seriesOf = (hosts: number, codes: readonly number[], methods: readonly string[]) =>
  Array.from({ length: hosts }, (_, index) =>
    codes.flatMap(code =>
      methods.map(method => ({ host: `shop${index}.example.com`, code, method, server: 'https' })),
    ),
  ).flat()

describe('the question for the metrics of the ingress', () => {
  it('G13 is answered with the same figures as Caddy has, added up', async () => {
    const all = metricsOf([
      ...seriesOf(2, [200, 204, 304, 404, 500], ['GET', 'POST']),
      { host: '_other', code: 404, method: 'OTHER', server: 'http' },
    ])
    const text = await printed('cat all', { all })
    expect(await figuresOf(text)).to.deep.equal(await figuresOf(all))
    expect(text.split('\n').filter(line => line.includes('host="shop0'))).to.have.lengthOf(4 * 14 + 2)
  })

  it('G13 G24 is answered in whole for a thousand hosts with answers of all classes', async () => {
    const all = metricsOf(seriesOf(1_000, [200, 304, 404, 500, 503], ['GET', 'POST']))
    const { requests, errors, durations } = await figuresOf(await printed('cat all', { all }))
    expect([requests.length, errors.length, durations.length]).to.deep.equal([1_000, 1_000, 4_000])
  })

  it('G13 G24 is answered for all, whatever codes and methods one application has', async () => {
    const codes = Array.from({ length: 800 }, (_, index) => 200 + index)
    const odd = seriesOf(1, codes, ['GET', 'HEAD', 'POST', 'PUT'])
    const all = metricsOf([...odd, { host: 'zoo.example.com', code: 200, method: 'GET', server: 'https' }])
    const text = await printed('cat all', { all })
    expect(text.length).to.be.below(20_000)
    expect((await figuresOf(text)).requests.map(({ labels }) => labels.host)).to.deep.equal([
      'shop0.example.com',
      'zoo.example.com',
    ])
  })

  it('G13 is answered with nothing as long as nobody asked for anything', async () => {
    expect(await printed('echo go_goroutines 12')).to.equal('')
  })

  it('G13 G24 ends, and prints no part, if Caddy does not end to answer: nobody reads the answer by then', async () => {
    const failure = await printed('while echo go_goroutines; do sleep 0.1; done').catch(error => error)
    expect(failure).to.include({ code: 1, stdout: '' })
  })

  it('G13 fails, and prints no part, if Caddy does not answer to the end', async () => {
    const all = metricsOf(seriesOf(1, [200], ['GET']))
    const failure = await printed('cat all; echo "wget: it ended" >&2; exit 1', { all }).catch(error => error)
    expect(failure).to.include({ code: 1, stdout: '', stderr: 'wget: it ended\n' })
  })
})
