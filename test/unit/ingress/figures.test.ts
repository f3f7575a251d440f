import { expect } from 'chai'
import { requestFigures } from '../../../lib/ingress/figures.ts'

const figuresOf = (metrics: string) => requestFigures(metrics, async () => undefined)

/** As Caddy 2.6 writes it, with two buckets in place of twelve. */
const metrics = `# TYPE caddy_http_request_duration_seconds histogram
caddy_http_request_duration_seconds_bucket{code="200",handler="subroute",method="GET",server="http",le="0.005"} 4
caddy_http_request_duration_seconds_bucket{code="200",handler="subroute",method="GET",server="http",le="+Inf"} 5
caddy_http_request_duration_seconds_sum{code="200",handler="subroute",method="GET",server="http"} 0.25
caddy_http_request_duration_seconds_count{code="200",handler="subroute",method="GET",server="http"} 5
caddy_http_request_duration_seconds_bucket{code="204",handler="subroute",method="POST",server="http",le="0.005"} 1
caddy_http_request_duration_seconds_bucket{code="204",handler="subroute",method="POST",server="http",le="+Inf"} 2
caddy_http_request_duration_seconds_sum{code="204",handler="subroute",method="POST",server="http"} 0.5
caddy_http_request_duration_seconds_count{code="204",handler="subroute",method="POST",server="http"} 2
caddy_http_request_duration_seconds_count{code="404",handler="subroute",method="GET",server="https"} 1
caddy_http_request_duration_seconds_count{code="200",handler="subroute",method="HEAD",server="health"} 9
caddy_http_request_errors_total{handler="subroute",server="http"} 1
caddy_http_requests_total{handler="subroute",server="health"} 9
caddy_http_requests_total{handler="subroute",server="http"} 8
caddy_http_requests_total{handler="subroute",server="https"} 1
`

describe('what Caddy counted', () => {
  it('G13 is told by where requests came in, without what load balancers ask', async () => {
    expect((await figuresOf(metrics)).requests).to.deep.equal([
      { labels: { server: 'http' }, value: 8 },
      { labels: { server: 'https' }, value: 1 },
    ])
    expect((await figuresOf(metrics)).errors).to.deep.equal([{ labels: { server: 'http' }, value: 1 }])
  })

  it('G13 is told by the class of the status, whatever the method', async () => {
    expect((await figuresOf(metrics)).durations).to.deep.equal([
      {
        labels: { server: 'http', code: '2xx' },
        buckets: new Map([
          ['0.005', 5],
          ['+Inf', 7],
        ]),
        count: 7,
        sumSeconds: 0.75,
      },
      { labels: { server: 'https', code: '4xx' }, buckets: new Map(), count: 1, sumSeconds: 0 },
    ])
  })

  it('G13 is told host by host where Caddy knows hosts', async () => {
    const counted = `caddy_http_requests_total{handler="subroute",host="a.example",server="http"} 2
caddy_http_requests_total{handler="subroute",host="odd\\"\\\\name",server="http"} 3
`
    expect((await figuresOf(counted)).requests).to.deep.equal([
      { labels: { server: 'http', host: 'a.example' }, value: 2 },
      { labels: { server: 'http', host: 'odd"\\name' }, value: 3 },
    ])
  })

  it('G13 G24 is read without a line that is longer than any of Caddy, wherever it stands', async () => {
    const long = `caddy_http_requests_total{host="${'x'.repeat(100_000)}",server="http"} 7\n`
    const one = 'caddy_http_requests_total{server="http"} 2\n'
    const lines = [long, one, '\n', long, long, one.trim()]
    expect((await figuresOf(lines.join(''))).requests).to.deep.equal([
      { labels: { server: 'http' }, value: 4 },
    ])
  })

  it('G13 G24 is read in pieces, and nothing at their ends is lost', async () => {
    const line = 'caddy_http_requests_total{server="http"} 1\n'
    let turns = 0
    const goOn = async () => {
      turns += 1
    }
    const { requests } = await requestFigures(line.repeat(10_000), goOn)
    expect(requests).to.deep.equal([{ labels: { server: 'http' }, value: 10_000 }])
    expect(turns).to.be.above(10)
  })

  it('G13 is nothing as long as nobody asked for anything', async () => {
    expect(await figuresOf('')).to.deep.equal({ requests: [], errors: [], durations: [] })
  })
})
