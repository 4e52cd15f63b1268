// The form of an event: the plan follows what is typed, and stages change in place. Without script every
// button works as well: it loads the page again with all that was typed.
"use strict";

(() => {
  const WAIT_MS = 400;
  const SAVE_MS = 1500;
  const form = () => document.getElementById("event");
  if (!form()) return;
  document.documentElement.classList.add("has-script");
  let due = null;
  let asked = 0;
  let typed = 0;
  let unsaved = null;
  let isSaving = false;

  const sent = (address, button) => {
    const body = new FormData(form());
    if (button) body.set("do", button);
    return fetch(address, { method: "POST", body: new URLSearchParams(body), headers: { "HX-Request": "true" } });
  };

  const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

  // What came last counts: an answer that was overtaken is dropped.
  const planned = async () => {
    const number = ++asked;
    const reply = await sent(form().dataset.plan).catch(() => null);
    if (!reply?.ok || reply.redirected || number !== asked) return;
    const page = parsed(await reply.text());
    for (const id of ["plan", "plan-says"]) {
      const fresh = page.getElementById(id);
      if (fresh) return document.getElementById(id).replaceWith(document.adoptNode(fresh));
    }
  };

  const soon = () => {
    clearTimeout(due);
    due = setTimeout(planned, WAIT_MS);
    clearTimeout(unsaved);
    if (form().dataset.drafts) unsaved = setTimeout(saved, SAVE_MS);
  };

  // One after the other: the version that comes back is what the next one is sent with.
  const saved = async () => {
    if (isSaving) return soon();
    isSaving = true;
    const reply = await sent(form().dataset.drafts).catch(() => null);
    isSaving = false;
    const fresh = reply?.ok && !reply.redirected ? parsed(await reply.text()).getElementById("draft") : null;
    const place = document.getElementById("draft");
    if (fresh) place.replaceWith(document.adoptNode(fresh));
    else if (place) {
      const isOut = reply && (reply.redirected || reply.status === 403);
      const why = isOut ? "you are not signed in. Sign in in another window" : "no connection";
      place.querySelector("p").textContent = `Not saved: ${why}. It is tried again as you type.`;
    }
  };

  const replaced = async (button) => {
    clearTimeout(due);
    asked += 1;
    let reply, before;
    // Nothing that is typed while the answer is on its way may be lost: then it is asked for again.
    do {
      before = typed;
      reply = await sent(location.href, button).catch(() => null);
    } while (before !== typed);
    const page = reply?.ok && !reply.redirected ? parsed(await reply.text()) : null;
    const fresh = page?.getElementById("event");
    // Whatever is wrong shows when the page is loaded by the button itself.
    if (!fresh) return false;
    const focused = document.activeElement?.id;
    form().replaceWith(document.adoptNode(fresh));
    if (focused) document.getElementById(focused)?.focus();
    soon();
    return true;
  };

  document.addEventListener("input", (event) => {
    if (event.target.form !== form()) return;
    typed += 1;
    soon();
  });

  document.addEventListener("change", (event) => {
    if (event.target.form !== form()) return;
    if (event.target.name === "preset" || /^stage-\d+-format$/.test(event.target.name)) replaced("show");
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-rearranges]");
    if (!button || button.form !== form()) return;
    event.preventDefault();
    replaced(button.value).then((isDone) => {
      if (!isDone) return form().requestSubmit(button);
      document.getElementById("stages").scrollIntoView({ block: "nearest" });
    });
  });
})();
