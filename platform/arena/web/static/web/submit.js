// Uploads a bot: an archive unchanged, or a folder as a zip made here. Displays obvious errors before the upload, and
// its progress. The server checks everything again. Without it, the form uploads an archive.
"use strict";

(() => {
  const MANIFEST = "rensho.toml";
  const NAMES_SHOWN = 12;
  const form = document.querySelector("form[data-submit]");
  const limits = JSON.parse(form.dataset.limits);
  const field = form.elements.bundle;
  const chosen = form.querySelector("[data-chosen]");
  const errors = document.querySelector("[data-errors]");
  const meter = form.querySelector("[data-progress]");
  const text = new TextDecoder();
  const utf8 = new TextEncoder();
  let packed = null;
  let isWrong = false;

  const size = (bytes) => (bytes < 1e4 ? `${bytes} bytes` : bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

  // Contents of archives: sizes by name, and the bytes of small members; null if the archive cannot be read.

  const inflated = async (bytes) => {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const parts = [];
    let total = 0;
    for (const reader = stream.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      total += value.length;
      if (total > limits.unpacked_bytes + 2 ** 20) throw new Error("too large");
      parts.push(value);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  };

  const inZip = async (bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let end = bytes.length - 22;
    while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
    if (end < 0) return null;
    const found = new Map();
    let at = view.getUint32(end + 16, true);
    for (let count = view.getUint16(end + 10, true); count > 0; count -= 1) {
      if (view.getUint32(at, true) !== 0x02014b50) return null;
      const method = view.getUint16(at + 10, true);
      const [stored, length] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
      const nameLength = view.getUint16(at + 28, true);
      const name = text.decode(bytes.subarray(at + 46, at + 46 + nameLength)).replaceAll("\\", "/");
      if (!name.endsWith("/")) {
        const entry = { size: length, bytes: null };
        if (name.endsWith(MANIFEST) && length <= limits.manifest_bytes) {
          const head = view.getUint32(at + 42, true);
          const from = head + 30 + view.getUint16(head + 26, true) + view.getUint16(head + 28, true);
          const data = bytes.subarray(from, from + stored);
          entry.bytes = method === 8 ? await inflated(data) : data;
        }
        found.set(name, entry);
      }
      at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    }
    return found;
  };

  const begins = (bytes, ...codes) => codes.every((code, at) => bytes[at] === code);

  // Returns the members of the selected file, or an error.
  const read = async (file) => {
    const bytes = new Uint8Array(await file.arrayBuffer());
    try {
      if (begins(bytes, 0x50, 0x4b)) return { members: await inZip(bytes) };
    } catch {
      return { members: null };
    }
    if (file.name.endsWith(".py")) return { members: new Map([[file.name, { size: bytes.length, bytes }]]) };
    return { wrong: `${file.name} is neither a zip nor a .py file.` };
  };

  const isLeftOut = (path) => path.split("/").some((part) => limits.left_out.includes(part));

  // Returns an obvious error of these files, if any; the server checks more.
  const problem = (members) => {
    const files = new Map([...members].filter(([path]) => !isLeftOut(path)));
    const paths = [...files.keys()];
    if (!paths.length) return "It contains no files.";
    if (paths.length > limits.members) return `It has ${paths.length} files; at most ${limits.members} are allowed. Remove files that the bot does not read.`;
    const large = paths.find((path) => files.get(path).size > limits.member_bytes);
    if (large) return `${large} has ${size(files.get(large).size)}; a file may have at most ${size(limits.member_bytes)}.`;
    const tops = new Set(paths.map((path) => path.split("/")[0]));
    const wrapper = !files.has(MANIFEST) && tops.size === 1 ? `${[...tops][0]}/` : "";
    const manifest = files.get(wrapper + MANIFEST);
    const meant = paths.find((path) => [MANIFEST, `${MANIFEST}.txt`].includes(path.split("/").at(-1).toLowerCase()));
    if (!manifest && meant) return `${MANIFEST} must be at the top level of the archive, or of its only folder; found ${meant}.`;
    if (!manifest) return `${MANIFEST} is missing. A bot with several files needs it to name the entry_point.`;
    if (!manifest.bytes) return "";
    const entry = text.decode(manifest.bytes).match(/^\s*entry_point\s*=\s*(?:"([^"\\]*)"|'([^']*)')/m);
    if (!entry) return `${MANIFEST} names no entry_point.`;
    const path = entry[1] ?? entry[2];
    return files.has(wrapper + path) ? "" : `${MANIFEST} names ${path} as entry_point, which is not among the files.`;
  };

  const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  const crc32 = (bytes) => ~bytes.reduce((crc, byte) => CRC_TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8), -1) >>> 0;

  // Little-endian fields, each a number with its width in bytes.
  const fields = (...pairs) => {
    const made = new DataView(new ArrayBuffer(pairs.reduce((sum, [, width]) => sum + width, 0)));
    let at = 0;
    for (const [value, width] of pairs) {
      if (width === 4) made.setUint32(at, value, true);
      else made.setUint16(at, value, true);
      at += width;
    }
    return made;
  };

  // A zip of stored files with names in UTF-8. Source: APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16.
  const pack = async (files) => {
    const [members, directory] = [[], []];
    let at = 0;
    for (const [path, file] of files) {
      const name = utf8.encode(path);
      const bytes = new Uint8Array(await file.arrayBuffer());
      // Version, flags (UTF-8), method (stored), time, date (1980-01-01), checksum, sizes, lengths of name and extra field.
      const common = [[20, 2], [0x800, 2], [0, 2], [0, 2], [33, 2], [crc32(bytes), 4], [bytes.length, 4], [bytes.length, 4], [name.length, 2], [0, 2]];
      members.push(fields([0x04034b50, 4], ...common), name, bytes);
      directory.push(fields([0x02014b50, 4], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]), name);
      at += 30 + name.length + bytes.length;
    }
    const length = directory.reduce((sum, part) => sum + part.byteLength, 0);
    const end = fields([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [length, 4], [at, 4], [0, 2]);
    return new Blob([...members, ...directory, end]);
  };

  const line = (text, className = "") => {
    const made = document.createElement("p");
    made.textContent = text;
    made.className = className;
    return made;
  };

  const show = (name, bytes, members, wrong) => {
    const lines = [line(`${name}, ${size(bytes)}`)];
    if (members) {
      const list = document.createElement("ul");
      const paths = [...members.keys()].filter((path) => !isLeftOut(path)).sort();
      for (const path of paths.slice(0, NAMES_SHOWN)) {
        const entry = document.createElement("li");
        entry.textContent = `${path}, ${size(members.get(path).size)}`;
        list.append(entry);
      }
      lines.push(list);
      if (paths.length > NAMES_SHOWN) lines.push(line(`${paths.length - NAMES_SHOWN} more files`));
    }
    if (wrong) lines.push(line(wrong, "is-wrong"));
    else if (members) lines.push(line("The browser found no problems."));
    chosen.replaceChildren(...lines);
    chosen.hidden = false;
    isWrong = Boolean(wrong);
    clear();
    ready();
  };

  const take = async (file) => {
    packed = { blob: file, name: file.name };
    if (file.size > limits.upload_bytes) {
      packed = null;
      return show(file.name, file.size, null, `An upload may have at most ${size(limits.upload_bytes)}.`);
    }
    const { members = null, wrong = "" } = await read(file);
    show(file.name, file.size, members, wrong || (members && !file.name.endsWith(".py") && problem(members)));
  };

  // Packs the files of a folder, without those that the server ignores.
  const takeFolder = async (name, files) => {
    const kept = files.filter(([path]) => !isLeftOut(path)).sort(([one], [other]) => (one < other ? -1 : 1));
    if (kept.length === 1 && kept[0][0].endsWith(".py")) return take(kept[0][1]);
    const total = kept.reduce((sum, [, file]) => sum + file.size, 0);
    const members = new Map();
    for (const [path, file] of kept) {
      const isSmall = path.endsWith(MANIFEST) && file.size <= limits.manifest_bytes;
      members.set(path, { size: file.size, bytes: isSmall ? new Uint8Array(await file.arrayBuffer()) : null });
    }
    let wrong = problem(members);
    if (!wrong && total > limits.unpacked_bytes) wrong = `It has ${size(total)}; ${size(limits.unpacked_bytes)} are allowed.`;
    packed = null;
    if (kept.length && kept.length <= limits.entries && total <= limits.upload_bytes) {
      try {
        packed = { blob: await pack(kept), name: `${name}.zip` };
      } catch (error) {
        wrong = error.message;
      }
    }
    show(name, total, members, wrong);
  };

  // Collects all files below a dropped entry.
  const walk = async (entry, path, found) => {
    if (isLeftOut(entry.name) || found.length > limits.entries) return;
    if (entry.isFile) {
      found.push([path + entry.name, await new Promise((done, failed) => entry.file(done, failed))]);
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (!some.length) return;
      for (const child of some) await walk(child, `${path}${entry.name}/`, found);
    }
  };

  const dropped = async (transfer) => {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    if (entries.length === 1 && entries[0].isFile) return take(transfer.files[0]);
    const found = [];
    for (const entry of entries) await walk(entry, "", found);
    return takeFolder(entries.length === 1 ? entries[0].name : "bot", found);
  };

  const clear = () => {
    errors.replaceChildren();
    for (const note of form.querySelectorAll(".form-field > .form-error")) note.remove();
    for (const wrong of form.querySelectorAll(".form-field.is-wrong")) wrong.classList.remove("is-wrong");
    for (const input of form.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
  };

  // Disables the buttons while there is an obvious error.
  const ready = () => {
    meter.hidden = true;
    for (const button of form.querySelectorAll("button")) button.disabled = isWrong;
  };

  const note = (input, made) => {
    input.closest(".form-field").append(made);
    input.closest(".form-field").classList.add("is-wrong");
    input.setAttribute("aria-invalid", "true");
  };

  // Displays errors as all forms do: a focused box above the form, and a note at the field.
  const tell = (box) => {
    errors.replaceChildren(box);
    ready();
    box.focus();
  };

  const refuse = (text, isOfFile = false) => {
    clear();
    const box = document.createElement("div");
    box.className = "form-errors";
    box.role = "alert";
    box.tabIndex = -1;
    const title = document.createElement("p");
    title.append(document.createElement("b"));
    title.firstChild.textContent = "Nothing was saved. Please correct one field.";
    box.append(title, line(text));
    if (isOfFile) {
      const link = document.createElement("a");
      [link.href, link.textContent] = [`#${field.id}`, "Archive"];
      box.lastChild.prepend(link, ": ");
      const made = document.createElement("div");
      [made.className, made.id] = ["form-error", `${field.id}_error`];
      made.append(line(text));
      note(field, made);
    }
    tell(box);
  };

  // Displays the errors of the server's page, keeping the selected files and the notes.
  const answered = (request) => {
    if (request.status === 200 && new URL(request.responseURL).pathname !== location.pathname) return location.assign(request.responseURL);
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    const once = page.querySelector("form[data-submit] [name=once]");
    if (once) form.elements.once.value = once.value;
    const box = page.querySelector(".form-errors");
    const other = page.querySelector("h1")?.textContent.trim() || request.responseText.slice(0, 300);
    if (!box) return refuse(`${other}. Nothing was submitted.`);
    clear();
    for (const made of page.querySelectorAll(".form-field > .form-error")) {
      const input = document.getElementById(made.id.replace(/_error$/, ""));
      if (input) note(input, made);
    }
    tell(box);
  };

  const send = () => {
    const body = new FormData(form);
    body.set("bundle", packed.blob, packed.name);
    const request = new XMLHttpRequest();
    const [bar, percent] = [meter.querySelector("progress"), meter.querySelector(".num")];
    request.upload.addEventListener("progress", (event) => {
      bar.value = event.total ? event.loaded / event.total : 0;
      percent.textContent = event.loaded < event.total ? `${Math.round((100 * event.loaded) / event.total)} %` : "sent, being processed";
    });
    request.addEventListener("load", () => answered(request));
    request.addEventListener("error", () => refuse("The connection was lost. Nothing was submitted; try again."));
    request.open("POST", form.action || location.href);
    clear();
    meter.hidden = false;
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    request.send(body);
  };

  const drop = form.querySelector("[data-drop]");
  const folder = document.getElementById("folder");
  const failed = (error) => refuse(error.message);
  form.querySelector("[data-folder]").hidden = false;
  field.required = false;
  field.addEventListener("change", () => field.files.length && take(field.files[0]).catch(failed));
  folder.addEventListener("change", () => {
    const files = [...folder.files].map((file) => [file.webkitRelativePath || file.name, file]);
    if (files.length) takeFolder(files[0][0].split("/")[0], files).catch(failed);
  });
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      drop.classList.add("is-over");
    });
  }
  document.addEventListener("dragleave", (event) => event.relatedTarget || drop.classList.remove("is-over"));
  document.addEventListener("drop", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    drop.classList.remove("is-over");
    dropped(event.dataTransfer).catch(failed);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (packed) send();
    else refuse(chosen.hidden ? "Choose an archive or a folder first." : "This file cannot be submitted. Choose another one.", true);
  });
})();
