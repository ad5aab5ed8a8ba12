/** Hosts that are not public, in every form that a URL permits: each row is a kind and its hosts. */
const HOSTS: Readonly<Record<string, string>> = {
  loopback: `
    127.0.0.1 127.0.0.2 127.1 127.0.1 127.255.255.254 127.127.127.127 127.000.000.001 0x7f.0.0.1 0x7f.1
    0x7f000001 0X7F000001 0x7F.0x0.0x0.0x1 0177.0.0.1 0177.0.0.01 00000177.0.0.1 017700000001 0177.1 2130706433 2130706434
    2147483646 0x7f.0.1 127.0x1 127.0.0x1 0177.0x0.0.1 127.0.0.1. 127.1. 2130706433. 0x7f000001. 0 0.0.0.0 0.0.0.1 0.1 00
    0x0 0x00000000 00000000000 0.0 0.0.0 0. %31%32%37.0.0.1 127%2e0%2e0%2e1 127.0.0.%31 %30x7f.1 １２７.０.０.１ ①②⑦.⓪.⓪.①
    127。0。0。1 127．0．0．1 127｡0｡0｡1 ⑫7.0.0.1 𝟏𝟐𝟕.𝟎.𝟎.𝟏 𝟙𝟚𝟟.0.0.1 0ⅹ7f.0.0.1`,
  private: `
    10.0.0.0 10.0.0.1 10.255.255.255 10.1 10.0.1 012.0.0.1 0xa.0.0.1 0x0a000001 167772161 10.0.0.1. 172.16.0.1 172.16.0.0
    172.31.255.255 172.20.10.5 172.16.1 0xac.16.0.1 0254.020.0.1 0xac100001 2886729729 172.17.0.1 192.168.0.1 192.168.1.1
    192.168.255.255 192.168.1 192.168.257 0xc0.168.1.1 0300.0250.1.1 0xc0a80101 3232235777 030052000401 192.168.49.2
    10%2e0.0.1 １０.0.0.1 １９２.１６８.１.１ 192。168。1。1 100.64.0.1 100.100.100.200 100.127.255.255 100.64.1 0x64.64.0.1 1681915905
    198.18.0.1 198.19.255.255 198.18.1 0xc6.18.0.1`,
  'link-local and metadata': `
    169.254.169.254 169.254.0.1 169.254.255.255 169.254.170.2 169.254.43518 169.16689662 2852039166 0xa9fea9fe
    0xA9.0xFE.0xA9.0xFE 0251.0376.0251.0376 0251.0376.169.254 025177524776 169.254.0xa9fe 169.254.169.254. １６９.２５４.１６９.２５４
    169。254。169。254 169.254.169.25%34 168.63.129.16 2822734096 0xa83f8110 192.0.0.192 192.0.0.1 192.0.0.170
    metadata.google.internal metadata.google.internal. METADATA.GOOGLE.INTERNAL metadata instance-data metadata.internal`,
  'documentation, multicast, reserved': `
    192.0.2.1 192.0.2.255 198.51.100.1 203.0.113.7 203.0.113.255 192.88.99.1 192.31.196.1 192.52.193.1 192.175.48.1
    224.0.0.1 224.0.0.251 239.255.255.250 239.255.255.255 240.0.0.1 250.1.2.3 255.255.255.254 255.255.255.255 4294967295
    0xffffffff 037777777777 255.255.255.255. 224.1 0xe0.0.0.1 4026531841`,
  'IPv6 special': `
    [::] [::0] [0:0:0:0:0:0:0:0] [::1] [0::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [::2]
    [::ff] [fe80::1] [fe80::] [FE80::A9FE:A9FE] [febf::1] [fec0::1] [feff::1] [fc00::1] [fd00::1] [fd00:ec2::254]
    [fdff:ffff::1] [ff00::1] [ff02::1] [ff02::fb] [ff05::1:3] [100::1] [100:0:0:1::1] [2001:db8::1] [2001:db8:ffff::1]
    [2001::1] [2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001:10::1] [2001:20::1] [2001:2::1] [2001:1::1] [3fff::1]
    [3fff:fff::1] [5f00::1] [2620:4f:8000::1] [1::1] [4000::1] [8000::1] [200::1] [e000::1]`,
  'IPv4 inside IPv6': '[::FFFF:7F00:1] [0:0:0:0:0:FFFF:7F00:0001] [::ffff:8.8.8.8] [64:ff9b::8.8.8.8] [2002:808:808::1]',
  'names of a network': `
    localhost LOCALHOST LocalHost localhost. localhost.localdomain localhost6 ip6-localhost ip6-loopback foo.localhost
    a.b.localhost. foo.LOCALHOST localdomain router.localdomain broadcasthost intranet wiki.intranet db.internal
    db.internal. redis.local printer.local. kubernetes kubernetes.default.svc.cluster.local vault.corp
    nas.home nas.lan box.home.arpa gateway.docker.internal host.docker.internal db.private postgres redis elasticsearch
    ｌｏｃａｌｈｏｓｔ ⓛⓞⓒⓐⓛⓗⓞⓢⓣ localhoſt loc%61lhost %6cocalhost local­host localhost。 foo.ｌｏｃａｌｈｏｓｔ ℓocalhost host..com
    .example.com example.com.. -a.example.com a-.example.com`,
};

/** The forms in which an IPv6 address contains an IPv4 address, in dotted and in hexadecimal notation. */
const DOTTED_FORMS = ['::ffff:', '0:0:0:0:0:ffff:', '::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', '2a01::5efe:'];
const HEX_FORMS = ['::ffff:#', '2002:#::', '2002:#::1', '2001::#', '2a01::200:5efe:#'];
const EMBEDDED = {
  ...{ '127.0.0.1': '7f00:1', '10.0.0.1': 'a00:1', '169.254.169.254': 'a9fe:a9fe', '192.168.1.1': 'c0a8:101' },
  ...{ '172.16.0.1': 'ac10:1', '0.0.0.0': '0:0', '100.64.0.1': '6440:1' },
};

const splitWords = (text: string): readonly string[] => text.trim().split(/[ \n]+/);

/** Hosts of receivers inside a network. */
export const attackHosts: readonly string[] = [
  ...Object.values(HOSTS).flatMap(splitWords),
  ...Object.entries(EMBEDDED).flatMap(([dotted, hex]) => [
    ...DOTTED_FORMS.map((form) => `[${form}${dotted}]`),
    ...HEX_FORMS.map((form) => `[${form.replace('#', hex)}]`),
  ]),
];

/** Whole URLs with another defect than their host. */
export const attackUrls: readonly string[] = [
  ...splitWords('http: ftp: file: gopher: ws: wss: dict: ldap: data: javascript: blob:https: jar:https: unix: about:').map(
    (scheme) => `${scheme}//hooks.example.com/`,
  ),
  ...[80, 0, 1, 21, 22, 25, 53, 111, 2375, 3306, 5432, 6379, 8080, 8444, 9200, 10250, 11211, 27017, 65535].map(
    (port) => `https://hooks.example.com:${port}/`,
  ),
  'https://hooks.example.com:65536/',
  'https://hooks.example.com:-1/',
  'https://hooks.example.com:8443x/',
  'https://user@hooks.example.com/',
  'https://user:password@hooks.example.com/',
  'https://:password@hooks.example.com/',
  'https://@hooks.example.com/',
  'https://:@hooks.example.com/',
  'https://hooks.example.com@127.0.0.1/',
  'https://127.0.0.1@hooks.example.com/',
  'https://hooks.example.com%40127.0.0.1/',
  'https://hooks.example.com:443@127.0.0.1/',
  'https:\\\\user@hooks.example.com/',
  'https:/user@hooks.example.com/',
  'https:user@hooks.example.com/',
  '  https://user@hooks.example.com/',
  'ht\ntps://user@hooks.example.com/',
  'https://127.0.0.1\\@hooks.example.com/',
  'https://127.0.0.1#@hooks.example.com/',
  'https://127.0.0.1?@hooks.example.com/',
  'https://127.0.0.1;@hooks.example.com/',
  'https://127.0.0.1%00.example.com/',
  'https://hooks.example.com%00@127.0.0.1/',
  'https://127.0.0.1\t/',
  'https://12\t7.0.0.1/',
  'https://127.0\n.0.1/',
  'https:///127.0.0.1/',
  'https:127.0.0.1',
  'https:\\\\127.0.0.1\\',
  'https:/\\127.0.0.1/',
  'HTTPS://127.0.0.1/',
  '//127.0.0.1/',
  '/hooks',
  'hooks.example.com',
  '',
  ' ',
  'https://',
  'https://.',
  'https://..',
  'https://[',
  'https://[]',
  'https://[::1',
  'https://[fe80::1%25eth0]/',
  'https://[fe80::1%eth0]/',
  'https://[::1%2525]/',
  'https://[v1.a]/',
  'https://256.256.256.256/',
  'https://1.2.3.4.5/',
  'https://0x100000000/',
  'https://a b.example.com/',
  'https://hooks.example.com<>/',
  `https://hooks.example.com/${'a'.repeat(2_048)}`,
  `https://${'a'.repeat(64)}.example.com/`,
];
