/** What a policy says of a request, before anything is connected. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalHost, hostMatches } from "../../../src/sandbox/egress/hosts.ts";
import { egress } from "../../../src/sandbox/egress/index.ts";
import { requested, watched } from "./helpers.ts";

const PUBLIC = "93.184.215.14";
const everyName = async () => [PUBLIC];

async function says(policy: ReturnType<typeof egress>, host: string, more: object = {}) {
  return policy.evaluate(requested(host, more));
}

describe("spellings of one host", () => {
  const loopback = [
    ...["127.0.0.1", "127.0.0.1.", "127.1", "0x7f.1", "2130706433", "017700000001", "0177.0.0.1", "0x7f000001"],
    ...["%31%32%37.0.0.1", "１２７.0.0.1", "127。0。0。1"],
  ];
  test.each(loopback)("%s is 127.0.0.1", async (host) => {
    const verdict = await says(egress({ rules: [{ action: "allow", host: "127.0.0.1", ports: [8080] }] }), host);
    expect(verdict).toMatchObject({ allow: false, reason: expect.stringContaining("127.0.0.1 is a loopback address") });
    const denied = egress({
      rules: [{ action: "deny", host: "127.0.0.1" }],
      decide: () => ({ allow: true }),
      allowPrivate: true,
    });
    expect(await says(denied, host)).toMatchObject({ allow: false, rule: "deny 127.0.0.1" });
  });

  const names: [string, string][] = [
    ["EX%61MPLE.com.", "example.com"],
    ["bücher.de", "xn--bcher-kva.de"],
    ["BÜCHER。de", "xn--bcher-kva.de"],
    ["example.com.", "example.com"],
    ["[::1]", "::1"],
    ["0:0:0:0:0:0:0:1", "::1"],
  ];
  test.each(names)("%s is %s", (host, canonical) => {
    expect(canonicalHost(host)).toBe(canonical);
  });

  test.each([
    "",
    ".",
    "a..",
    "a b",
    "a/b",
    "a@b",
    "a#b",
    "a?b",
    "a\\b",
    "a:80",
    "[::1",
    "%00",
    "a%2fb",
    "a".repeat(254),
    "1.2.3.4.5",
  ])("%j is no host", async (host) => {
    expect(canonicalHost(host)).toBeUndefined();
    expect(await says(egress({ decide: () => ({ allow: true }), lookup: everyName }), host)).toMatchObject({
      allow: false,
    });
  });

  test("a canonical host is its own canonical form", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.domain(), fc.ipV4Extended(), fc.ipV6()), (text) => {
        const host = canonicalHost(text);
        if (host !== undefined) expect(canonicalHost(host)).toBe(host);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("rules", () => {
  const policy = egress({
    rules: [
      { action: "allow", host: "*.example.com" },
      { action: "allow", host: "api.test", methods: ["GET"], pathPrefix: "/v1" },
      { action: "allow", host: "writes.test" },
      { action: "deny", host: "writes.test", methods: ["POST"] },
      { action: "allow", host: "site.test" },
      { action: "deny", host: "site.test", pathPrefix: "/admin" },
    ],
    lookup: everyName,
  });
  const web = (path: string, method = "GET") => ({ isTunnel: false, scheme: "https", method, path });

  const cases: [host: string, more: object, allow: boolean][] = [
    ["a.example.com", {}, true],
    ["a.b.example.com", { port: 80 }, true],
    ["a.example.com", { port: 8443 }, false],
    ["example.com", {}, false],
    ["badexample.com", {}, false],
    ["a.example.com.evil.test", {}, false],
    ["api.test", {}, false],
    ["api.test", web("/v1"), true],
    ["api.test", web("/v1/x"), true],
    ["api.test", web("/%761/x"), true],
    ["api.test", web("/v10"), false],
    ["api.test", web("/v1/x", "POST"), false],
    ["api.test", web("/v1/..%2fv2"), false],
    ["api.test", web("/v1/%2e%2e/v2"), false],
    ["api.test", web("/v1/..;/v2"), false],
    ["api.test", web("/v1//v2"), false],
    ["api.test", web("/v1/%252e"), false],
    ["api.test", web("/v1/%ff"), false],
    ["writes.test", web("/"), true],
    ["writes.test", web("/", "POST"), false],
    ["writes.test", web("/", "post"), false],
    ["writes.test", {}, false],
    ["site.test", web("/"), true],
    ["site.test", web("/administrator"), true],
    ["site.test", web("/admin"), false],
    ["site.test", web("/ADMIN/x"), false],
    ["site.test", web("/%61dmin"), false],
    ["site.test", web("/x/..%2fadmin"), false],
    ["site.test", web("//admin"), false],
    ["site.test", {}, false],
  ];
  test.each(cases)("%s %j: %s", async (host, more, allow) => {
    const verdict = await says(policy, host, more);
    expect(verdict.allow).toBe(allow);
    expect(verdict.address).toBe(allow ? PUBLIC : undefined);
  });

  test("no pattern allows an address, and one that denies everything does", async () => {
    expect(hostMatches("*.8.8", "8.8.8.8")).toBe(false);
    expect(hostMatches("*.8.8", "name.8.8.test")).toBe(false);
    const all = egress({ rules: [{ action: "deny", host: "*" }], decide: () => ({ allow: true }) });
    expect(await says(all, "8.8.8.8")).toMatchObject({ allow: false, rule: "deny *" });
  });

  const wrong: [string, object][] = [
    ["an action that there is not", { action: "permit", host: "a.test" }],
    ["a URL as host", { action: "allow", host: "https://a.test" }],
    ["a port in the host", { action: "allow", host: "a.test:80" }],
    ["a star inside", { action: "allow", host: "a.*.test" }],
    ["a star without a dot", { action: "allow", host: "*test" }],
    ["a pattern over addresses", { action: "allow", host: "*.0.0.1" }],
    ["everything allowed", { action: "allow", host: "*" }],
    ["no host", { action: "allow" }],
    ["port 0", { action: "allow", host: "a.test", ports: [0] }],
    ["no ports", { action: "allow", host: "a.test", ports: [] }],
    ["a port as text", { action: "allow", host: "a.test", ports: ["80"] }],
    ["small methods", { action: "allow", host: "a.test", methods: ["get"] }],
    ["a relative path", { action: "allow", host: "a.test", pathPrefix: "v1" }],
    ["a path with dots", { action: "allow", host: "a.test", pathPrefix: "/v1/../v2" }],
    ["a path with a query", { action: "allow", host: "a.test", pathPrefix: "/v1?x" }],
    ["a key that there is not", { action: "allow", host: "a.test", path: "/v1" }],
    ["a rule that is none", null as never],
  ];
  test.each(wrong)("refused when they are made: %s", (_, rule) => {
    expect(() => egress({ rules: [rule as never] })).toThrow(expect.objectContaining({ code: "EGRESS_INVALID" }));
  });

  test("are what they were when the policy was made", async () => {
    const rules = [{ action: "allow" as const, host: "a.test" }];
    const policy = egress({ rules, lookup: everyName });
    rules[0]!.host = "b.test";
    rules.push({ action: "allow", host: "c.test" });
    expect((await says(policy, "a.test")).allow).toBe(true);
    expect((await says(policy, "c.test")).allow).toBe(false);
  });
});

describe("addresses", () => {
  const special: [string, RegExp][] = [
    ["0.0.0.0", /unspecified/],
    ["10.1.2.3", /private/],
    ["100.64.0.1", /carrier/],
    ["100.100.100.200", /metadata/],
    ["127.0.0.53", /loopback/],
    ["168.63.129.16", /metadata/],
    ["169.254.169.254", /metadata/],
    ["169.254.1.1", /link-local/],
    ["172.16.0.1", /private/],
    ["172.31.255.255", /private/],
    ["192.0.0.192", /metadata/],
    ["192.168.1.1", /private/],
    ["198.18.0.1", /reserved/],
    ["203.0.113.1", /reserved/],
    ["224.0.0.1", /multicast/],
    ["255.255.255.255", /reserved/],
    ["::", /unspecified/],
    ["::1", /loopback/],
    ["::7f00:1", /IPv4 address/],
    ["::ffff:127.0.0.1", /IPv4 address/],
    ["::ffff:7f00:1", /IPv4 address/],
    ["::ffff:808:808", /IPv4 address/],
    ["64:ff9b::7f00:1", /NAT64/],
    ["64:ff9b:1::a00:1", /NAT64/],
    ["2001:0:4136:e378::1", /Teredo/],
    ["2002:7f00:1::", /6to4/],
    ["2001:db8::1", /reserved/],
    ["fc00::1", /private/],
    ["fd00:ec2::254", /metadata/],
    ["fe80::1", /link-local/],
    ["febf::1", /link-local/],
    ["fec0::1", /reserved/],
    ["ff02::1", /multicast/],
    ["4000::1", /reserved/],
  ];

  test.each(special)("%s is refused, as a name's address and by itself", async (address, what) => {
    const rules = [{ action: "allow" as const, host: "name.test" }];
    const named = egress({ rules, lookup: async () => [address] });
    const verdict = await says(named, "name.test");
    expect(verdict).toMatchObject({ allow: false, reason: expect.stringMatching(what) });
    expect(verdict.address).toBeUndefined();
    const asked = egress({ decide: () => ({ allow: true }) });
    expect(await says(asked, address)).toMatchObject({ allow: false, reason: expect.stringMatching(what) });
  });

  test.each(special)("%s can be named itself, for its port", async (address) => {
    const rules = [
      { action: "allow" as const, host: "name.test", ports: [443, 80] },
      { action: "allow" as const, host: address, ports: [443] },
    ];
    const policy = egress({ rules, lookup: async () => [address] });
    expect((await says(policy, "name.test")).address).toBe(canonicalHost(address));
    expect((await says(policy, "name.test", { port: 80 })).allow).toBe(false);
  });

  const opened = special.filter(([, what]) => /private|loopback|carrier/.test(what.source)).map(([address]) => address);
  test.each(special)("%s with allowPrivate", async (address) => {
    const rules = [{ action: "allow" as const, host: "name.test" }];
    const policy = egress({ rules, allowPrivate: true, lookup: async () => [address] });
    expect((await says(policy, "name.test")).allow).toBe(opened.includes(address));
  });

  test.each(["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450:4001::1"])(
    "%s is open",
    async (address) => {
      const policy = egress({ rules: [{ action: "allow", host: "name.test" }], lookup: async () => [address] });
      expect(await says(policy, "name.test")).toMatchObject({ allow: true, address });
    },
  );

  test("every one of a name has to be good", async () => {
    const rules = [{ action: "allow" as const, host: "name.test" }];
    for (const addresses of [
      [PUBLIC, "127.0.0.1"],
      ["10.0.0.1", PUBLIC],
      [PUBLIC, "not an address"],
      [PUBLIC, "fe80::1%eth0"],
    ]) {
      expect((await says(egress({ rules, lookup: async () => addresses }), "name.test")).allow).toBe(false);
    }
  });

  test("a denied address is denied under any name", async () => {
    const rules = [
      { action: "allow" as const, host: "name.test" },
      { action: "deny" as const, host: PUBLIC },
    ];
    expect(await says(egress({ rules, lookup: everyName }), "name.test")).toMatchObject({
      allow: false,
      rule: `deny ${PUBLIC}`,
    });
  });

  test("a name without an address is refused, and so is one whose lookup fails", async () => {
    const rules = [{ action: "allow" as const, host: "name.test" }];
    const fails = async () => {
      throw new Error("no DNS");
    };
    for (const lookup of [async () => [], fails]) {
      expect((await says(egress({ rules, lookup }), "name.test")).reason).toBe("name.test has no address");
    }
  });

  test("a name is looked up once", async () => {
    let count = 0;
    const lookup = async () => [count++ === 0 ? PUBLIC : "127.0.0.1"];
    const policy = egress({ rules: [{ action: "allow", host: "name.test" }], lookup });
    expect(await says(policy, "name.test")).toMatchObject({ allow: true, address: PUBLIC });
    expect(count).toBe(1);
    expect((await says(policy, "name.test")).allow).toBe(false);
  });

  test("the machine's own resolver is used otherwise: localhost is loopback", async () => {
    const policy = egress({ rules: [{ action: "allow", host: "localhost" }] });
    expect((await says(policy, "LOCALHOST.")).reason).toMatch(/^localhost is at .* which is a loopback address/);
  });
});

describe("audit", () => {
  test("of a refused request is made by evaluate, and has no query", async () => {
    const { policy, audits } = watched({});
    await says(policy, "a.test", {
      isTunnel: false,
      method: "GET",
      path: "/x",
      port: 80,
      scheme: "http",
      exec: "exec_1",
    });
    expect(audits).toEqual([
      {
        ...{ host: "a.test", port: 80, scheme: "http", method: "GET", path: "/x", isTunnel: false },
        ...{ sandbox: "sandbox_1", exec: "exec_1", allowed: false, reason: "no rule allows a.test" },
        ...{ at: expect.any(Number), durationMs: expect.any(Number), bytesUp: 0, bytesDown: 0 },
      },
    ]);
  });

  test("its errors change nothing", async () => {
    const throws = () => {
      throw new Error("disk full");
    };
    for (const audit of [throws, async () => throws()]) {
      const policy = egress({ audit, rules: [{ action: "allow", host: "a.test" }], lookup: everyName });
      expect((await says(policy, "a.test")).allow).toBe(true);
      expect((await says(policy, "b.test")).allow).toBe(false);
    }
  });
});

test.each([
  ["an option that there is not", { rule: [] }],
  ["rules that are no list", { rules: {} }],
  ["a decide that is nothing to call", { decide: {} }],
  ["an audit that is no function", { audit: [] }],
  ["no time to decide", { decideTimeoutMs: 0 }],
  ["a header for a pattern", { headers: [{ host: "*.a.test", name: "x", secret: "S" }] }],
  ["a header without a secret", { headers: [{ host: "a.test", name: "x" }] }],
  ["a header that is a connection's", { headers: [{ host: "a.test", name: "Host", secret: "S" }] }],
  ["a header with no name", { headers: [{ host: "a.test", name: "a b", secret: "S" }] }],
  ["a prefix with a line end", { headers: [{ host: "a.test", name: "x", secret: "S", prefix: "a\r\nb: c" }] }],
])("egress refuses %s", (_, options) => {
  expect(() => egress(options as never)).toThrow(expect.objectContaining({ code: "EGRESS_INVALID" }));
});
