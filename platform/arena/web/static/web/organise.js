// The tournament form: updates estimate and errors while typing, and changes stages in place. Without script, every
// button reloads the page with the typed values.
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
  let isLost = false;
  let isHeldBack = false;

  // A new sign-in in another window changes the CSRF token.
  const renewed = () => {
    const token = document.cookie.match(/(?:^|;\s*)csrftoken=([^;]+)/)?.[1];
    if (token) for (const input of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) input.value = token;
  };

  const sent = (address, button) => {
    if (isLost) renewed();
    const body = new FormData(form());
    if (button) body.set("do", button);
    return fetch(address, { method: "POST", body: new URLSearchParams(body), headers: { "HX-Request": "true" } });
  };

  const parsed = (text) => new DOMParser().parseFromString(text, "text/html");
  const textOf = (element) => element.textContent.trim();

  // Errors are placed as the server does. An error that only a submission finds (such as a past date) stays until its
  // field changes: this maps the control to the rejected value.
  const saidAt = new WeakMap();
  const fieldOf = (control) => control.closest(".form-field");
  const described = (control, id, isThere) => {
    const ids = (control.getAttribute("aria-describedby") || "").split(" ").filter((each) => each && each !== id);
    if (isThere) ids.push(id);
    if (ids.length) control.setAttribute("aria-describedby", ids.join(" "));
    else control.removeAttribute("aria-describedby");
  };

  const cleared = (control) => {
    const id = `${control.id}_error`;
    document.getElementById(id)?.remove();
    fieldOf(control).classList.remove("is-wrong");
    control.removeAttribute("aria-invalid");
    described(control, id, false);
    saidAt.delete(control);
  };

  const marked = (control, fresh) => {
    const old = document.getElementById(fresh.id);
    if (old) {
      if (textOf(old) !== textOf(fresh)) old.replaceWith(fresh);
    } else {
      fieldOf(control).append(fresh);
      for (let fold = control.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    }
    fieldOf(control).classList.add("is-wrong");
    control.setAttribute("aria-invalid", "true");
    described(control, fresh.id, true);
    saidAt.delete(control);
  };

  const judgedControl = (control, fresh) => {
    const old = document.getElementById(`${control.id}_error`);
    // No error for an empty control that has the focus.
    const isBegun = control === document.activeElement && !control.value;
    if (fresh && !old && isBegun) isHeldBack = true;
    else if (fresh) marked(control, fresh);
    else if (old && (!saidAt.has(control) || saidAt.get(control) !== control.value)) cleared(control);
  };

  const judged = (page) => {
    const taken = (id) => {
      const fresh = page.getElementById("mistakes")?.querySelector(`[id="${id}_error"]`);
      return fresh ? document.adoptNode(fresh) : null;
    };
    isHeldBack = false;
    for (const control of form().elements) {
      if (control.id && control.type !== "hidden" && fieldOf(control)) judgedControl(control, taken(control.id));
    }
    for (const stage of form().querySelectorAll("fieldset[id^=stage-]")) {
      const fresh = taken(stage.id);
      stage.querySelector(":scope > .form-error")?.remove();
      if (fresh) stage.querySelector(":scope > legend").after(fresh);
    }
    summed(new Set([...page.querySelectorAll("#mistakes .whole")].map(textOf)));
  };

  // Removes corrected errors from the list at the top: of fields, and of the whole form.
  const summed = (wholeForm) => {
    const list = form().querySelector(".form-errors");
    if (!list) return;
    for (const line of list.querySelectorAll("li")) {
      const control = document.getElementById(line.querySelector("a")?.hash.slice(1) || "");
      if (!control && wholeForm.has(textOf(line))) line.dataset.judged = "yes";
      else if (control ? !document.getElementById(`${control.id}_error`) : line.dataset.judged) line.remove();
    }
    const left = list.querySelectorAll("li").length;
    // Screen readers announced it when the page was loaded; do not announce the shorter list.
    list.removeAttribute("role");
    if (!left) list.remove();
    else list.querySelector("b").textContent = `Nothing was saved. Please correct ${left === 1 ? "one field" : `${left} fields`}.`;
  };

  // Responses to outdated requests are dropped.
  const planned = async () => {
    const number = ++asked;
    const reply = await sent(form().dataset.plan).catch(() => null);
    if (!reply?.ok || reply.redirected || number !== asked) return;
    const page = parsed(await reply.text());
    if (number !== asked) return;
    for (const id of ["plan", "plan-error"]) {
      const fresh = page.getElementById(id);
      if (!fresh) continue;
      document.getElementById(id).replaceWith(document.adoptNode(fresh));
      break;
    }
    judged(page);
  };

  const soon = () => {
    clearTimeout(due);
    due = setTimeout(planned, WAIT_MS);
    clearTimeout(unsaved);
    if (form().dataset.drafts) unsaved = setTimeout(saved, SAVE_MS);
  };

  const lost = (reply) => {
    const place = document.getElementById("draft").querySelector("p");
    isLost = true;
    place.className = "draft-lost";
    if (reply && (reply.redirected || reply.status === 403)) {
      const link = document.createElement("a");
      Object.assign(link, { href: form().dataset.signIn, target: "_blank", textContent: "Sign in in another window" });
      place.replaceChildren("Not saved: you are not signed in. ", link, ". Saving is retried while you type.");
    } else place.textContent = "Not saved: no connection. Saving is retried while you type.";
  };

  // One request at a time: each sends the draft version that the previous one returned.
  const saved = async () => {
    if (isSaving) return soon();
    isSaving = true;
    const reply = await sent(form().dataset.drafts).catch(() => null);
    isSaving = false;
    const fresh = reply?.ok && !reply.redirected ? parsed(await reply.text()).getElementById("draft") : null;
    const place = document.getElementById("draft");
    if (fresh) {
      isLost = false;
      place.replaceWith(document.adoptNode(fresh));
    } else if (place) lost(reply);
  };

  const replaced = async (button) => {
    clearTimeout(due);
    asked += 1;
    let reply, before;
    // Repeat the request if something was typed meanwhile, so that nothing is lost.
    do {
      before = typed;
      reply = await sent(location.href, button).catch(() => null);
    } while (before !== typed);
    const page = reply?.ok && !reply.redirected ? parsed(await reply.text()) : null;
    const fresh = page?.getElementById("event");
    // On failure, the caller submits the button, and the loaded page displays the error.
    if (!fresh) return false;
    const focused = document.activeElement?.id;
    form().replaceWith(document.adoptNode(fresh));
    if (focused) document.getElementById(focused)?.focus();
    soon();
    return true;
  };

  // Moves the focus to the moved stage, to the pressed button if it still exists.
  const rearranged = (value) => {
    const [verb, text] = value.split(":");
    const count = form().querySelectorAll("fieldset[id^=stage-]").length;
    const was = Number(text) || 0;
    const now = { "stage-up": was - 1, "stage-down": was + 1, "stage-remove": Math.min(was, count), "stage-add": count }[verb];
    const stage = document.getElementById(`stage-${now}`);
    const legend = stage.querySelector(":scope > legend");
    let target = stage.querySelector(`[value="${verb}:${now}"]`);
    if (verb === "stage-add") target = stage.querySelector("select");
    if (verb === "stage-remove" || !target) {
      legend.tabIndex = -1;
      target = legend;
    }
    stage.scrollIntoView({ block: "nearest" });
    target.focus();
    document.getElementById("stages-status").textContent = {
      "stage-up": `Stage ${was} moved up: it is stage ${now} of ${count}.`,
      "stage-down": `Stage ${was} moved down: it is stage ${now} of ${count}.`,
      "stage-remove": `Stage ${was} removed; stages left: ${count}.`,
      "stage-add": `Stage ${count} added.`,
    }[verb];
  };

  document.addEventListener("input", (event) => {
    if (event.target.form !== form()) return;
    typed += 1;
    soon();
  });

  document.addEventListener("focusout", (event) => {
    if (isHeldBack && event.target.form === form()) soon();
  });

  window.addEventListener("focus", () => {
    if (isLost) soon();
  });

  document.addEventListener("change", (event) => {
    if (event.target.form !== form()) return;
    if (event.target.name === "preset" || /^stage-\d+-format$/.test(event.target.name)) replaced("show");
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-rearranges]");
    if (!button || button.form !== form()) return;
    event.preventDefault();
    replaced(button.value).then((isDone) => (isDone ? rearranged(button.value) : form().requestSubmit(button)));
  });

  for (const control of form().querySelectorAll(".is-wrong [aria-invalid]")) saidAt.set(control, control.value);
  if (form().querySelector(".form-errors")) planned();
})();
