// A certified OpenID Connect provider with the accounts that its login form is given: node provider.mjs PACKAGE PORT
// REDIRECT_URI. Prints a line once it listens. The client is "rensho", its secret is in the environment (SECRET).
import http from "node:http";
import { pathToFileURL } from "node:url";

const [, , folder, port, redirectUri] = process.argv;
const { default: Provider } = await import(pathToFileURL(`${folder}/lib/index.js`));
const server = http.createServer();
server.listen(Number(port), "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "rensho",
        client_secret: process.env.SECRET,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    pkce: { required: () => true },
    cookies: { keys: ["of this run"] },
    claims: { openid: ["sub"], profile: ["preferred_username"] },
    conformIdTokenClaims: false,
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, preferred_username: id }),
    }),
  });
  server.on("request", provider.callback());
  console.log(issuer);
});
