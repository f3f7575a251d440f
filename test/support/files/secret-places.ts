// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the specification's own syntax
/** A specification with a secret in every place that takes one. */
export const specificationOfSecrets = {
  name: 'shop',
  services: [
    {
      name: 'web',
      variables: [
        { name: 'DOMAIN', value: 'shop.example' },
        { name: 'PASSWORD', 'value-from-vault-secret': { vault: 'shop', secret: 'db', key: 'password' } },
      ],
      pallet: {
        domain: ['shop.example'],
        services: [
          {
            ...{ type: 'postgres', host: 'db', user: 'shop', database: 'shop' },
            ...{ password: { secret: 'db/login' }, deployUrl: { secret: 'db/deploy' } },
          },
          { type: 'rabbitmq', urls: ['amqp://shop:${PASSWORD}@mq:5672/shop'] },
          { type: 'memcache', hosts: [{ secret: 'cache/host' }, 'cache'], prefix: 'shop' },
        ],
      },
      volumes: [
        { name: 'tls', 'vault-secret': { vault: 'shop', secret: 'tls' } },
        { name: 'all', 'vault-secret': { vault: 'shop', secret: 'all' } },
        { name: 'keys', secret: { items: [{ name: 'key', secret: 'shop/key' }] } },
      ],
      containers: [
        {
          name: 'web',
          image: 'web:1',
          env: { PLAIN: { secret: 'shop/plain' }, URL: 'https://u:${PASSWORD}@${DOMAIN}/x' },
          mounts: [
            { 'volume-name': 'tls', files: [{ name: 'key.pem', 'mount-path': '/etc/key.pem' }] },
            { 'volume-name': 'all', 'mount-path': '/run/all' },
            { 'volume-name': 'keys', 'mount-path': '/run/keys' },
          ],
        },
      ],
    },
  ],
}

/** The secrets that it asks for. */
export const secretNames: readonly string[] = [
  'shop/db/password',
  ...['db/login', 'db/deploy', 'cache/host', 'shop/plain', 'shop/key'],
  ...['shop/tls/key.pem', 'shop/tls/cert.pem', 'shop/all/any', 'shop/all/one'],
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the specification's own syntax
