import { expect } from 'chai'
import { app, builtPod, pod } from '../built-pod.ts'
import { type Built, expectOutcome, type Refused, refused, shown, unrunnable } from './outcome.ts'

type Port = Readonly<Record<string, unknown>>

const http = { name: 'http', protocol: 'tcp', port: 80 }
const dns = { name: 'dns', protocol: 'udp', port: 53 }
const range = { name: 'data', protocol: 'tcp', port: 20_000, count: 3 }

/** A published port as `docker run -p` has it. */
const published = ({ instance }: Built) =>
  (instance?.sandbox?.ports ?? []).map(
    ({ hostIp = '', published, target, protocol }) =>
      `${hostIp === '' ? '' : `${hostIp}:`}${published}:${target}/${protocol}`,
  )

describe('C14 cases of ports of an app', () => {
  const place = '/apps/0/app/ports/0'
  const cases: readonly (readonly [Port, readonly string[] | Refused])[] = [
    [{ protocol: 'tcp', port: 1 }, ['9000:1/tcp']],
    [{ protocol: 'udp', port: 65_535 }, ['9000:65535/udp']],
    [{ protocol: 'sctp', port: 8080 }, ['9000:8080/sctp']],
    [{ protocol: 'tcp', port: 80, count: 1 }, ['9000:80/tcp']],
    [{ protocol: 'tcp', port: 80, count: 2 }, ['9000:80/tcp', '9001:81/tcp']],
    [{ protocol: 'udp', port: 65_533, count: 3 }, ['9000:65533/udp', '9001:65534/udp', '9002:65535/udp']],
    [{ protocol: 'tcp', port: 80, socketActivated: false }, ['9000:80/tcp']],
    [
      { protocol: 'tcp', port: 80, socketActivated: true },
      unrunnable(`${place}/socketActivated is true, and Docker hands no open sockets to containers`),
    ],
    [
      { protocol: 'tcp', port: 65_535, count: 2 },
      refused(`${place}/count leads to port 65536, and 65535 is the last one`),
    ],
    [{ protocol: 'tcp', port: 1, count: 65_536 }, refused(`${place}/count must be <= 65535, not 65536`)],
    [{ protocol: 'tcp', port: 80, count: 0 }, refused(`${place}/count must be >= 1, not 0`)],
    [{ protocol: 'tcp', port: 80, count: -1 }, refused(`${place}/count must be >= 1, not -1`)],
    [{ protocol: 'tcp', port: 80, count: 1.5 }, refused(`${place}/count must be a whole number, not 1.5`)],
    [{ protocol: 'tcp', port: 65_536 }, refused(`${place}/port must be <= 65535, not 65536`)],
    [{ protocol: 'tcp', port: '80' }, refused(`${place}/port must be a whole number, not "80"`)],
    [{ protocol: 'tcp', port: 80.5 }, refused(`${place}/port must be a whole number, not 80.5`)],
    [{ protocol: 'tcp' }, refused(`${place}/port is required`)],
    [{ port: 80 }, refused(`${place}/protocol is required`)],
    ...['TCP', 'http', 'tcp/udp', '', 'icmp'].map(
      protocol =>
        [
          { protocol, port: 80 },
          refused(`${place}/protocol must be one of "tcp", "udp", "sctp", not ${JSON.stringify(protocol)}`),
        ] as const,
    ),
    [
      { protocol: 'tcp', port: 80, socketActivated: 'no' },
      refused(`${place}/socketActivated must be true or false, not "no"`),
    ],
    [{ protocol: 'tcp', port: 80, hostPort: 80 }, refused(`${place}/hostPort is not a known key`)],
  ]
  for (const [port, expected] of cases)
    it(shown(port), () => {
      const manifest = pod({
        apps: [app({}, { ports: [{ name: 'p', ...port }] })],
        ports: [{ name: 'p', hostPort: 9000 }],
      })
      expectOutcome(manifest, published, expected)
    })
})

describe('C30 C31 cases of published ports', () => {
  type Case = readonly [what: string, ports: readonly Port[], expected: readonly string[] | Refused]
  const cases: readonly Case[] = [
    ['none, though apps have some', [], []],
    ['by its name', [{ name: 'http', hostPort: 8080 }], ['8080:80/tcp']],
    ['of another protocol', [{ name: 'dns', hostPort: 5353 }], ['5353:53/udp']],
    [
      'a whole range',
      [{ name: 'data', hostPort: 30_000 }],
      ['30000:20000/tcp', '30001:20001/tcp', '30002:20002/tcp'],
    ],
    [
      'on one address',
      [{ name: 'http', hostPort: 8080, hostIP: '203.0.113.23' }],
      ['203.0.113.23:8080:80/tcp'],
    ],
    ['on the loopback', [{ name: 'http', hostPort: 8080, hostIP: '127.0.0.1' }], ['127.0.0.1:8080:80/tcp']],
    ['the last one of the host', [{ name: 'http', hostPort: 65_535 }], ['65535:80/tcp']],
    [
      'with a podPort of that name',
      [{ name: 'http', hostPort: 8080, podPort: { ...http, port: 8000 } }],
      ['8080:8000/tcp'],
    ],
    ['with a podPort of another name', [{ name: 'http', hostPort: 8080, podPort: dns }], ['8080:53/udp']],
    [
      'with a podPort that is a range',
      [{ name: 'x', hostPort: 9000, podPort: { ...range, count: 2 } }],
      ['9000:20000/tcp', '9001:20001/tcp'],
    ],
    [
      'a name that no app has',
      [{ name: 'https', hostPort: 443 }],
      unrunnable(
        '/ports/0/name is "https", and no app declares such a port; declare it, or give a "podPort"',
      ),
    ],
    [
      'two of one number and two protocols',
      [
        { name: 'http', hostPort: 5353 },
        { name: 'dns', hostPort: 5353 },
      ],
      ['5353:53/udp', '5353:80/tcp'],
    ],
    [
      'one number on two addresses',
      [
        { name: 'http', hostPort: 80, hostIP: '10.0.0.1' },
        { name: 'http', hostPort: 80, hostIP: '10.0.0.3' },
      ],
      ['10.0.0.1:80:80/tcp', '10.0.0.3:80:80/tcp'],
    ],
    [
      'one number on one address twice',
      [
        { name: 'http', hostPort: 8080, hostIP: '10.0.0.1' },
        { name: 'data', hostPort: 8080, hostIP: '10.0.0.1' },
      ],
      refused('/ports/1 claims host port 10.0.0.1:8080 a second time'),
    ],
    [
      'one number on one address and on all',
      [
        { name: 'http', hostPort: 8080, hostIP: '10.0.0.1' },
        { name: 'http', hostPort: 8080 },
      ],
      refused('/ports/1 claims host port 8080, and host port 10.0.0.1:8080 is claimed already'),
    ],
    [
      'one number on all and on one address',
      [
        { name: 'http', hostPort: 8080 },
        { name: 'http', hostPort: 8080, hostIP: '10.0.0.1' },
      ],
      refused('/ports/1 claims host port 10.0.0.1:8080, and host port 8080 is claimed already'),
    ],
    [
      'one number on 0.0.0.0, which means all, and on one address',
      [
        { name: 'http', hostPort: 8080, hostIP: '0.0.0.0' },
        { name: 'http', hostPort: 8080, hostIP: '10.0.0.1' },
      ],
      refused('/ports/1 claims host port 10.0.0.1:8080, and host port 0.0.0.0:8080 is claimed already'),
    ],
    [
      'a number within a range',
      [
        { name: 'data', hostPort: 9000 },
        { name: 'http', hostPort: 9002 },
      ],
      refused('/ports/1 claims host port 9002 a second time'),
    ],
    [
      'a range beyond the last number',
      [{ name: 'data', hostPort: 65_534 }],
      unrunnable('/ports/0/hostPort leads to port 65536, and 65535 is the last one'),
    ],
    [
      'a number beyond the last one',
      [{ name: 'http', hostPort: 65_536 }],
      unrunnable('/ports/0/hostPort leads to port 65536, and 65535 is the last one'),
    ],
    ['without a number', [{ name: 'http' }], refused('/ports/0/hostPort is required')],
    ['the number 0', [{ name: 'http', hostPort: 0 }], refused('/ports/0/hostPort must be >= 1, not 0')],
    [
      'a number below 0',
      [{ name: 'http', hostPort: -80 }],
      refused('/ports/0/hostPort must be >= 1, not -80'),
    ],
    [
      'a number as a text',
      [{ name: 'http', hostPort: '8080' }],
      refused('/ports/0/hostPort must be a whole number, not "8080"'),
    ],
    ['without a name', [{ hostPort: 8080 }], refused('/ports/0/name is required')],
    [
      'a podPort without a protocol',
      [{ name: 'x', hostPort: 8080, podPort: { name: 'x', port: 80 } }],
      refused('/ports/0/podPort/protocol is required'),
    ],
    [
      'a podPort that is a number',
      [{ name: 'x', hostPort: 8080, podPort: 80 }],
      refused('/ports/0/podPort must be an object, not 80'),
    ],
    [
      'a podPort that expects an open socket',
      [{ name: 'x', hostPort: 8080, podPort: { ...http, socketActivated: true } }],
      unrunnable('/ports/0/podPort/socketActivated is true, and Docker hands no open sockets to containers'),
    ],
    [
      'a podPort of too many numbers',
      [{ name: 'x', hostPort: 80, podPort: { ...http, port: 65_000, count: 537 } }],
      refused('/ports/0/podPort/count leads to port 65536, and 65535 is the last one'),
    ],
    ...[
      'localhost',
      '::1',
      '203.0.113',
      '203.0.113.256',
      '203.0.113.023',
      '203.0.113.1/24',
      '203.0.113.1:80',
      ' 203.0.113.1',
      '*',
      '',
      '::ffff:203.0.113.1',
    ].map(
      (hostIP): Case => [
        `on ${shown(hostIP)}`,
        [{ name: 'http', hostPort: 8080, hostIP }],
        refused(`/ports/0/hostIP "${hostIP}" is no IPv4 address; write for example 203.0.113.23`),
      ],
    ),
  ]
  for (const [what, ports, expected] of cases)
    it(what, () => {
      const manifest = pod({
        apps: [
          app({}, { ports: [http, { ...http, name: 'admin', port: 9001 }, range] }),
          app({ name: 'other' }, { ports: [dns] }),
        ],
        ports,
      })
      expectOutcome(manifest, published, expected)
    })
})

describe('C30 a name of a port that two apps have', () => {
  const podPort = { ...http, port: 9001 }
  const cases: readonly (readonly [what: string, ports: readonly Port[]])[] = [
    ['is refused if it is published', [{ name: 'http', hostPort: 8080 }]],
    ['is refused beside a podPort', [{ name: 'http', hostPort: 8080, podPort }]],
    ['is refused if nothing of it is published', []],
  ]
  for (const [what, ports] of cases)
    it(what, () => {
      const manifest = pod({
        apps: [app({}, { ports: [http] }), app({ name: 'other' }, { ports: [dns, { ...http, port: 81 }] })],
        ports,
      })
      expect(builtPod(manifest).problems).to.include(
        '/apps/1/app/ports/1/name is "http", as a port of the app "main" is; all ports of a pod need names of their own (pod-invalid)',
      )
    })
})
