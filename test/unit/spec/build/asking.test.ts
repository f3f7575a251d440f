import { expect } from 'chai'
import { formatPosition } from '../../../../lib/errors.ts'
import { built } from '../built.ts'

const text = `name: shop
services:
  - name: web
    pallet: {domain: shop.example}
    volumes: [{name: static, persistent-volume: {driver_opts: {type: nfs, device: ":/srv", o: addr=10.0.0.9}}}]
    containers: [{name: app, image: "shop:1"}]
  - name: db
    placement: {match-host-labels: disk = ssd, spread-over: [zone, rack]}
    volumes: [{name: tmp, tmpfs: {}}, {name: data, persistent-volume: {}}]
    containers: [{name: db, image: "db:1"}]
  - name: cache
    containers: [{name: cache, image: "cache:1"}]
`

describe('what services ask of the nodes of a Swarm', () => {
  it('G13 A48 P30 has its places, also that of volumes which the Pallet contract implies', () => {
    const { asking } = built(text, { onSwarms: true })
    const told = [...(asking ?? [])].map(([service, { labels, spread, volumes }]) => ({
      service,
      labels: formatPosition(labels),
      spread: spread.map(formatPosition),
      volumes: [...volumes].map(([name, position]) => `${name} ${formatPosition(position)}`),
    }))
    const at = (place: string) => `applications/shop.yaml:${place}: `
    expect(told).to.deep.equal([
      {
        ...{ service: 'web', labels: '', spread: [] },
        volumes: [`prod.shop.storage ${at('4:13')}`, `prod.shop.static ${at('5:49')}`],
      },
      {
        ...{ service: 'db', labels: at('8:36'), spread: [at('8:62'), at('8:68')] },
        volumes: [`prod.shop.data ${at('9:71')}`],
      },
    ])
  })

  it('G13 is noted only where a site is a Swarm', () => {
    expect(built(text).asking).to.equal(undefined)
  })
})
