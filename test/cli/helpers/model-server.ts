/** A provider on loopback, and the environment in which `haft` asks it. */
import { type ProviderServer, type Script, startProviderServer } from "../../helpers/provider-server/index.ts";

export interface ModelServer extends AsyncDisposable {
  server: ProviderServer;
  env: Record<string, string>;
}

export async function modelServer(script: Script): Promise<ModelServer> {
  const server = await startProviderServer(script);
  const env = {
    HAFT_MODEL: "openai-compatible:test-model",
    OPENAI_COMPATIBLE_BASE_URL: server.urls["openai-compatible"],
    OPENAI_COMPATIBLE_API_KEY: "key-of-the-test",
  };
  return { server, env, [Symbol.asyncDispose]: () => server.close() };
}
