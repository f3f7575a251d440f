import { expect } from 'chai'
import fc from 'fast-check'
import { parseBytes } from '../../../../lib/spec/grammar/bytes.ts'
import { parseCapability } from '../../../../lib/spec/grammar/capability.ts'
import { parseCpus } from '../../../../lib/spec/grammar/cpus.ts'
import { parseDevice } from '../../../../lib/spec/grammar/device.ts'
import { parseDuration } from '../../../../lib/spec/grammar/duration.ts'
import { parseExtraHost, parseHostname } from '../../../../lib/spec/grammar/host.ts'
import { parsePath } from '../../../../lib/spec/grammar/path.ts'
import { parsePorts } from '../../../../lib/spec/grammar/port.ts'
import { parseRestart } from '../../../../lib/spec/grammar/restart.ts'
import { parseShare } from '../../../../lib/spec/grammar/share.ts'
import { parseSignal } from '../../../../lib/spec/grammar/signal.ts'
import { parseMode, parseTmpfs } from '../../../../lib/spec/grammar/tmpfs.ts'
import { splitWords } from '../../../../lib/spec/grammar/words.ts'
import type { Parsed } from '../../../../lib/state/parsed.ts'

const dayMs = 24 * 60 * 60 * 1000

describe('durations (A32)', () => {
  reads(parseDuration, [
    ['0', 0],
    ['0s', 0],
    ['30s', 30_000],
    ['15m', 900_000],
    ['7m18s', 438_000],
    ['1m30s', 90_000],
    ['1.5s', 1_500],
    ['500ms', 500],
    ['1500us', 2],
    ['2h32m', 9_120_000],
    ['1d', dayMs],
    ['365d', 365 * dayMs],
  ])
  refuses(parseDuration, [
    ['', 'is no duration'],
    ['10', 'is no duration'],
    ['1 m', 'is no duration'],
    ['-1s', 'is no duration'],
    ['1x', 'is no duration'],
    ['1e308s', 'is no duration'],
    ['.s', 'is no duration'],
    ['366d', 'is longer than 365 days'],
    ['9'.repeat(30).concat('s'), 'is longer than 365 days'],
    ['1s'.repeat(100), 'is no duration'],
  ])
})

describe('sizes', () => {
  reads(parseBytes, [
    ['1024', 1024],
    [1024, 1024],
    ['2b', 2],
    ['512k', 524_288],
    ['64m', 67_108_864],
    ['64M', 67_108_864],
    ['64MiB', 67_108_864],
    ['1.5gb', 1_610_612_736],
    ['1 gb', 1_073_741_824],
    ['1t', 1_099_511_627_776],
  ])
  refuses<string | number>(parseBytes, [
    ['', 'is no size'],
    ['m', 'is no size'],
    ['-1m', 'is no size'],
    ['64x', 'is no size'],
    ['1e308', 'is no size'],
    ['0', 'is not between'],
    [0.5, 'is not between'],
    [Number.NaN, 'is not between'],
    [Number.POSITIVE_INFINITY, 'is not between'],
    ['9999p', 'is not between'],
  ])
})

describe("Compose's short port syntax", () => {
  reads(parsePorts, [
    ['80', [{ target: 80, protocol: 'tcp' }]],
    ['8080:80', [{ target: 80, published: 8080, protocol: 'tcp' }]],
    ['127.0.0.1:8080:80/udp', [{ target: 80, published: 8080, hostIp: '127.0.0.1', protocol: 'udp' }]],
    ['127.0.0.1::80', [{ target: 80, hostIp: '127.0.0.1', protocol: 'tcp' }]],
    ['[::1]:80:80', [{ target: 80, published: 80, hostIp: '::1', protocol: 'tcp' }]],
    ['53:53/sctp', [{ target: 53, published: 53, protocol: 'sctp' }]],
    [
      '8000-8002:9000-9002',
      [
        { target: 9000, published: 8000, protocol: 'tcp' },
        { target: 9001, published: 8001, protocol: 'tcp' },
        { target: 9002, published: 8002, protocol: 'tcp' },
      ],
    ],
    [
      '3000-3001',
      [
        { target: 3000, protocol: 'tcp' },
        { target: 3001, protocol: 'tcp' },
      ],
    ],
  ])
  refuses(parsePorts, [
    ['', 'is no port'],
    ['http', 'is no port'],
    ['80:http', 'is no port'],
    ['80/quic', 'there are tcp, udp and sctp'],
    ['0:80', '0 is not between 1 and 65535'],
    ['65536', 'is not between 1 and 65535'],
    ['8000-8002:80', 'pairs 3 host ports with 1 container ports'],
    ['90-80', 'runs backwards'],
    ['300.0.0.1:80:80', '"300.0.0.1" is no IP address'],
    ['1:2:3:4', 'is no port'],
  ])
})

describe('command lines', () => {
  reads(splitWords, [
    ['', []],
    ['  ', []],
    ['sleep 10', ['sleep', '10']],
    ['sh -c \'echo "hi"  there\'', ['sh', '-c', 'echo "hi"  there']],
    ['echo "a \\"b\\" \\$c \\n"', ['echo', 'a "b" $c \\n']],
    ['a\\ b c', ['a b', 'c']],
    ["x='1 2'3", ['x=1 23']],
    ['run "" end', ['run', '', 'end']],
    ['constructor toString', ['constructor', 'toString']],
    ['echo $HOME ${NAME}', ['echo', '$HOME', '${NAME}']],
    ['a\nb\tc', ['a', 'b', 'c']],
  ])
  refuses(splitWords, [
    ["echo 'a", 'a single quote that is never closed'],
    ['echo "a', 'a double quote that is never closed'],
    ['echo a\\', 'a backslash at its end'],
  ])
})

describe('restart policies', () => {
  reads(parseRestart, [
    ['no', { name: 'no' }],
    ['always', { name: 'always' }],
    ['unless-stopped', { name: 'unless-stopped' }],
    ['on-failure', { name: 'on-failure' }],
    ['on-failure:5', { name: 'on-failure', maxRetries: 5 }],
    ['on-failure:0', { name: 'on-failure' }],
  ])
  refuses(parseRestart, [
    ['never', 'is no restart policy'],
    ['on-failure:x', 'is no restart policy'],
    ['always:5', 'is no restart policy'],
    ['on-failure:99999999999', 'is no restart policy'],
  ])
})

describe('in-memory directories', () => {
  reads(parseTmpfs, [
    ['/run', { kind: 'tmpfs', path: '/run' }],
    ['/run:exec,uid=5,gid=0', { kind: 'tmpfs', path: '/run', exec: true, uid: 5, gid: 0 }],
    ['/run:rw,noexec,nosuid,nodev', { kind: 'tmpfs', path: '/run' }],
    ['/run:size=64m,mode=1770', { kind: 'tmpfs', path: '/run', sizeBytes: 67_108_864, mode: 0o1770 }],
  ])
  refuses(parseTmpfs, [
    ['run', '"run" is no absolute path'],
    ['/run:uid=app', '"app" is no number of a user or group; names are not looked up here'],
    ['/run:suid', 'has the option "suid"; there are size, mode, uid, gid and exec'],
    ['/run:exec=1', 'has the option "exec=1"; there are size, mode, uid, gid and exec'],
    ['/run:size=big', 'is no size'],
    ['/run:mode=888', 'is no octal mode'],
    ['/', 'is the root'],
  ])
  reads(parseMode, [
    ['440', 0o440],
    ['0440', 0o440],
    ['0o440', 0o440],
  ])
  refuses(parseMode, [
    ['17777', 'is no octal mode'],
    ['0o', 'is no octal mode'],
    ['0o0o7', 'is no octal mode'],
  ])
})

describe('devices', () => {
  reads(parseDevice, [
    ['/dev/fuse', { host: '/dev/fuse', container: '/dev/fuse', permissions: 'rwm' }],
    ['/dev/ttyUSB0:/dev/modem:wr', { host: '/dev/ttyUSB0', container: '/dev/modem', permissions: 'rw' }],
  ])
  refuses(parseDevice, [
    ['fuse', 'is no device'],
    ['/dev/a:/dev/b:x', 'is no device'],
    ['/dev/../etc', 'leads out of /dev'],
    ['/etc/shadow', 'leads out of /dev'],
  ])
})

describe('host entries and names', () => {
  reads(parseExtraHost, [
    ['db:10.0.0.5', 'db:10.0.0.5'],
    ['db=10.0.0.5', 'db:10.0.0.5'],
    ['db:[::1]', 'db:::1'],
    ['gw:host-gateway', 'gw:host-gateway'],
  ])
  refuses(parseExtraHost, [
    ['db', 'is no host entry'],
    ['db:10.0.0', 'is no IP address'],
    ['a b:10.0.0.5', 'is no host name'],
  ])
  reads(parseHostname, [['shop-1.example', 'shop-1.example']])
  refuses(parseHostname, [
    ['-shop', 'is no host name'],
    ['a'.repeat(64), 'is no host name'],
  ])
})

describe('shares of instances (H26)', () => {
  reads(parseShare, [
    [0, 0],
    [2, 2],
    ['25%', '25%'],
    ['025%', '25%'],
  ])
  refuses<string | number>(parseShare, [
    [-1, 'is not a whole number'],
    [1.5, 'is not a whole number'],
    [1001, 'is not a whole number'],
    ['101%', 'neither a number nor a percentage'],
    ['2', 'neither a number nor a percentage'],
  ])
})

describe('CPUs', () => {
  reads(parseCpus, [
    [1.5, 1_500_000_000],
    ['0.5', 500_000_000],
    [0.01, 10_000_000],
  ])
  refuses<string | number>(parseCpus, [
    [0, 'is not a number of CPUs'],
    [0.009, 'is not a number of CPUs'],
    ['half', 'is not a number of CPUs'],
    [1e308, 'is not a number of CPUs'],
    [Number.NaN, 'is not a number of CPUs'],
  ])
})

describe('signals and capabilities', () => {
  reads(parseSignal, [
    ['SIGTERM', 'SIGTERM'],
    ['quit', 'SIGQUIT'],
    [15, '15'],
    ['SIGRTMIN+3', 'SIGRTMIN+3'],
  ])
  refuses<string | number>(parseSignal, [
    ['SIGFOO', 'is no signal'],
    [65, 'is not between 1 and 64'],
  ])
  reads(parseCapability, [
    ['NET_ADMIN', 'NET_ADMIN'],
    ['cap_net_admin', 'NET_ADMIN'],
    ['ALL', 'ALL'],
  ])
  refuses(parseCapability, [['NET_ADMINS', 'is no capability']])
})

describe('paths (G24)', () => {
  reads(parsePath, [
    ['/srv//data/./x/', '/srv/data/x'],
    ['/a..b', '/a..b'],
  ])
  refuses(parsePath, [
    ['data', 'is no absolute path'],
    ['/srv/../etc', 'climbs'],
    ['//', 'is the root'],
    ['/a\0b', 'NUL'],
  ])
})

describe('hostile texts (G24)', () => {
  it('splits what was quoted back into the same words', () => {
    // What `unit: 'binary'` draws from, without its table of a million characters.
    const unit = fc.integer({ min: 0, max: 0x10ffff }).map(code => String.fromCodePoint(code))
    fc.assert(
      fc.property(fc.array(fc.string({ unit })), words => {
        const line = words.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
        expect(splitWords(line)).to.deep.equal({ ok: true, value: words })
      }),
    )
  })

  it('reads or refuses any text, in bounds and at once', () => {
    const grammars = [
      parseDuration,
      parseBytes,
      parsePorts,
      splitWords,
      parseTmpfs,
      parseDevice,
      parseExtraHost,
    ]
    const text = fc.string({ unit: fc.constantFrom(...'019.:-/smhkg[]()"\'\\ =,%\0x'), maxLength: 200 })
    fc.assert(
      fc.property(text, fc.constantFrom(...grammars), (written, parse) => {
        const result = parse(written)
        if (result.ok && typeof result.value === 'number')
          expect(result.value).to.satisfy(Number.isSafeInteger).and.to.be.at.least(0)
      }),
    )
  })
})

function reads<In extends string | number, Out>(
  parse: (text: In) => Parsed<Out>,
  cases: readonly (readonly [In, Out])[],
): void {
  for (const [text, value] of cases)
    it(`reads ${JSON.stringify(text)}`, () => {
      expect(parse(text)).to.deep.equal({ ok: true, value })
    })
}

function refuses<In extends string | number>(
  parse: (text: In) => Parsed<unknown>,
  cases: readonly (readonly [In, string])[],
): void {
  for (const [text, reason] of cases)
    it(`refuses ${JSON.stringify(String(text).slice(0, 40))}: ${reason}`, () => {
      const result = parse(text)
      expect(result.ok ? 'read' : result.reason).to.include(reason)
    })
}
