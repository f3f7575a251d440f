import { expect } from 'chai'
import { declarationOf } from '../../../../lib/state/image/declaration.ts'

const nothing = { entrypoint: [], command: [], env: [], user: '', workingDir: '', ports: [], volumes: [] }

describe('what an image says of itself', () => {
  it('C56 is its configuration, with ports and volumes in order', () => {
    const config = {
      Entrypoint: ['/init'],
      Cmd: ['serve'],
      Env: ['A=1'],
      User: 'app:app',
      WorkingDir: '/srv',
      ExposedPorts: { '8080/tcp': {}, '53/udp': {}, '53/tcp': {}, '21': {} },
      Volumes: { '/var/lib': {}, '/data': {} },
      Labels: { team: 'shop', built: 'today' },
    }
    expect(declarationOf(config, 'linux/amd64')).to.deep.equal({
      entrypoint: ['/init'],
      command: ['serve'],
      env: ['A=1'],
      user: 'app:app',
      workingDir: '/srv',
      ports: [
        { port: 21, protocol: 'tcp' },
        { port: 53, protocol: 'tcp' },
        { port: 53, protocol: 'udp' },
        { port: 8080, protocol: 'tcp' },
      ],
      volumes: ['/data', '/var/lib'],
      labels: [
        { name: 'built', value: 'today' },
        { name: 'team', value: 'shop' },
      ],
      platform: 'linux/amd64',
    })
  })

  it('C56 is nothing where an image says nothing', () => {
    expect(declarationOf(undefined, undefined)).to.deep.equal(nothing)
    const nulls = { Entrypoint: null, Cmd: null, Env: null, ExposedPorts: null, Volumes: null }
    expect(declarationOf(nulls, undefined)).to.deep.equal(nothing)
  })

  it('G24 is bounded, and what no image has is left out', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, port) => [`${port + 1}/tcp`, {}]))
    expect(declarationOf({ ExposedPorts: many }, undefined).ports).to.have.length(1_024)
    const long = { a: 'x'.repeat(60_000), b: 'x'.repeat(10_000), c: 'short' }
    expect(declarationOf({ Labels: long }, undefined).labels?.map(({ name }) => name)).to.deep.equal([
      'a',
      'c',
    ])
    expect(declarationOf({ Labels: many }, undefined).labels, 'their values are no texts').to.equal(undefined)
    const odd = {
      Cmd: 'sh',
      Env: [7],
      User: 7,
      ExposedPorts: { '0/tcp': {}, '70000': {}, 'x/tcp': {}, '80/icmp': {} },
      Volumes: { data: {} },
      Labels: { team: 7 },
    }
    expect(declarationOf(odd, undefined)).to.deep.equal(nothing)
  })
})
