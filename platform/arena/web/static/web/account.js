// Passkeys: requests one from the browser and submits its response with the form. Also reveals typed passwords.
// Other parts of the account pages need no script.
"use strict";

(() => {
  const toBytes = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
  const toText = (buffer) =>
    buffer && btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const ids = (list) => (list ?? []).map((entry) => ({ ...entry, id: toBytes(entry.id) }));

  const asked = {
    make: (options) => {
      const publicKey = { ...options, challenge: toBytes(options.challenge), excludeCredentials: ids(options.excludeCredentials) };
      publicKey.user = { ...options.user, id: toBytes(options.user.id) };
      return navigator.credentials.create({ publicKey });
    },
    open: (options) =>
      navigator.credentials.get({ publicKey: { ...options, challenge: toBytes(options.challenge), allowCredentials: ids(options.allowCredentials) } }),
  };

  const answerOf = (credential) => {
    const { response } = credential;
    const parts = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
    const texts = parts.filter((part) => response[part]).map((part) => [part, toText(response[part])]);
    return JSON.stringify({
      id: credential.id,
      rawId: toText(credential.rawId),
      type: credential.type,
      response: Object.fromEntries(texts),
      clientExtensionResults: {},
    });
  };

  const REASONS = {
    NotAllowedError: "The passkey was not confirmed in time. Try again.",
    InvalidStateError: "This device already has a passkey for this account.",
    SecurityError: "The browser does not allow passkeys at this address.",
  };

  const ask = async (form) => {
    const body = new FormData(form);
    body.delete("answer");
    const reply = await fetch(form.dataset.options, { method: "POST", body, headers: { Accept: "application/json" } });
    if (reply.redirected) return location.assign(reply.url);
    if (!(reply.headers.get("Content-Type") ?? "").startsWith("application/json")) {
      throw new Error(reply.status === 429 ? "Too many attempts. Try again later." : "The page has expired. Reload it and try again.");
    }
    const options = await reply.json();
    if (!reply.ok) throw new Error(options.detail);
    const credential = await asked[form.dataset.passkey](options);
    form.elements.answer.value = answerOf(credential);
    form.submit();
  };

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    if (!window.PublicKeyCredential) continue;
    form.hidden = false;
    const says = form.querySelector("[data-passkey-status]");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      says.textContent = "";
      ask(form).catch((error) => (says.textContent = REASONS[error.name] ?? error.message));
    });
  }
  document.querySelector("[data-without-passkeys]")?.toggleAttribute("hidden", Boolean(window.PublicKeyCredential));

  for (const button of document.querySelectorAll("button[data-shows]")) {
    const field = document.getElementById(button.dataset.shows);
    button.hidden = false;
    button.addEventListener("click", () => {
      const isShown = field.type === "text";
      field.type = isShown ? "password" : "text";
      button.setAttribute("aria-pressed", String(!isShown));
    });
  }
})();
