import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { type Measured, metricsText } from '../../../lib/http/metrics.ts'

const web = {
  site: 'local',
  application: 'shop',
  sync: 'Synced',
  health: 'Healthy',
  version: '1',
  running: 2,
  commit: '',
  reason: '',
} as const

async function textOf(measured: readonly Measured[], goOn = async () => {}): Promise<string> {
  let whole = ''
  for await (const text of metricsText(measured, goOn)) whole += text
  return whole
}

describe('metrics', () => {
  it('G17 are made of no more than a hundred sites in one turn of the event loop, and are one metric nevertheless', async () => {
    const looked: string[] = []
    const turns = [0]
    const measured = Array.from({ length: 250 }, (_, index) => {
      const site = `store-${index}`
      return {
        site,
        isDraining: false,
        certificates: [],
        get figures() {
          turns.push((turns.pop() ?? 0) + 1)
          looked.push(site)
          return { requests: [{ labels: { server: 'https' }, value: index + 1 }], errors: [], durations: [] }
        },
      }
    })
    const ingresses = measured as unknown as Measured['ingresses']
    const text = await textOf(
      [{ environment: 'prod', ingresses, applications: [] }],
      async () => void turns.push(0),
    )
    expect(turns.every(count => count <= 100)).to.equal(true)
    expect(text.match(/^tallyman_ingress_requests_total\{.*/gm)).to.have.length(250)
    expect(text.match(/^# TYPE tallyman_ingress_requests_total counter$/gm)).to.have.length(1)
    expect(text.match(/\n\n/g)).to.have.length(2)
  })

  it('G13 are in the text format of Prometheus', async () => {
    const text = await textOf([
      {
        environment: 'prod',
        ingresses: [
          {
            site: 'local',
            isDraining: false,
            certificates: [
              { state: 'valid', names: ['shop.example'], issuer: 'R11', expiresMs: 1_800_000_000_000 },
              { state: 'missing', names: ['new.example'] },
              { state: 'unknown', names: ['own.example'] },
            ],
            figures: {
              requests: [{ labels: { server: 'https' }, value: 8 }],
              errors: [{ labels: { server: 'https' }, value: 1 }],
              durations: [
                {
                  labels: { server: 'https', code: '2xx' },
                  buckets: new Map([
                    ['0.005', 5],
                    ['+Inf', 7],
                  ]),
                  count: 7,
                  sumSeconds: 0.75,
                },
              ],
            },
          },
        ],
        applications: [
          {
            ...web,
            routes: [{ url: 'https://shop.example/', service: 'web', admitted: 1, wanted: 2 }],
          },
        ],
      },
    ])
    expect(text).to.equal(`# HELP tallyman_ingress_up Whether the ingress says what it does.
# TYPE tallyman_ingress_up gauge
tallyman_ingress_up{environment="prod",site="local"} 1

# HELP tallyman_ingress_draining Whether load balancers are told to send it no more requests.
# TYPE tallyman_ingress_draining gauge
tallyman_ingress_draining{environment="prod",site="local"} 0

# HELP tallyman_ingress_requests_total Requests of users, by where they came in and the host that was asked for.
# TYPE tallyman_ingress_requests_total counter
tallyman_ingress_requests_total{environment="prod",site="local",server="https"} 8

# HELP tallyman_ingress_request_errors_total Of these, requests that nobody answered but the ingress itself.
# TYPE tallyman_ingress_request_errors_total counter
tallyman_ingress_request_errors_total{environment="prod",site="local",server="https"} 1

# HELP tallyman_ingress_request_duration_seconds From the first byte of a request to the last of its answer, by the class of the status.
# TYPE tallyman_ingress_request_duration_seconds histogram
tallyman_ingress_request_duration_seconds_bucket{environment="prod",site="local",server="https",code="2xx",le="0.005"} 5
tallyman_ingress_request_duration_seconds_bucket{environment="prod",site="local",server="https",code="2xx",le="+Inf"} 7
tallyman_ingress_request_duration_seconds_sum{environment="prod",site="local",server="https",code="2xx"} 0.75
tallyman_ingress_request_duration_seconds_count{environment="prod",site="local",server="https",code="2xx"} 7

# HELP tallyman_ingress_certificate_expires_timestamp_seconds When a certificate expires; 0: there is none yet.
# TYPE tallyman_ingress_certificate_expires_timestamp_seconds gauge
tallyman_ingress_certificate_expires_timestamp_seconds{environment="prod",site="local",names="shop.example"} 1800000000
tallyman_ingress_certificate_expires_timestamp_seconds{environment="prod",site="local",names="new.example"} 0

# HELP tallyman_route_instances Instances that get the requests of a route.
# TYPE tallyman_route_instances gauge
tallyman_route_instances{environment="prod",site="local",application="shop",service="web",route="https://shop.example/"} 1

# HELP tallyman_route_instances_wanted Instances that are to get them.
# TYPE tallyman_route_instances_wanted gauge
tallyman_route_instances_wanted{environment="prod",site="local",application="shop",service="web",route="https://shop.example/"} 2
`)
  })

  it('G13 say that an ingress does not answer', async () => {
    const failure = new Failure('ingress-unreachable', 'local: no ingress runs')
    const text = await textOf([
      { environment: 'prod', ingresses: [{ site: 'local', failure }], applications: [] },
    ])
    expect(text).to.equal(`# HELP tallyman_ingress_up Whether the ingress says what it does.
# TYPE tallyman_ingress_up gauge
tallyman_ingress_up{environment="prod",site="local"} 0
`)
  })

  it('G13 P12 say what is known of an ingress that does not tell its own metrics', async () => {
    const figures = new Failure('ingress-unreachable', 'local: no answer in time')
    const certificates = [{ state: 'missing' as const, names: ['new.example'] }]
    const text = await textOf([
      {
        environment: 'prod',
        ingresses: [{ site: 'local', isDraining: true, certificates, figures }],
        applications: [],
      },
    ])
    expect(text.match(/^[^#\n].*$/gm)).to.deep.equal([
      'tallyman_ingress_up{environment="prod",site="local"} 0',
      'tallyman_ingress_draining{environment="prod",site="local"} 1',
      'tallyman_ingress_certificate_expires_timestamp_seconds{environment="prod",site="local",names="new.example"} 0',
    ])
  })

  it('G13 can be read whatever a label holds', async () => {
    const routes = [{ url: 'http://a"b\\c/', service: 'web', admitted: 0, wanted: 0 }]
    const text = await textOf([{ environment: 'prod', ingresses: [], applications: [{ ...web, routes }] }])
    expect(text).to.include('route="http://a\\"b\\\\c/"} 0\n')
  })
})
