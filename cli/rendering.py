"""What `lane-run` prints for a batch of lines, in each of its formats."""

import json
from collections import Counter
from dataclasses import asdict, dataclass

from lane.cli.lines import MAX_LINE_BYTES, Answer, Batch
from lane.runtime import Derivation, Failure, Translation, Translator
from lane.runtime.bounds import ERROR_MARK
from lane.runtime.errors import EMPTY

# The codes of lines that are no commands at all; the others are the runtime's.
INVALID_UTF8 = "invalid-utf8"
LINE_TOO_LONG = "line-too-long"
MAX_PICTURES = 1000
_NOTHING = Derivation((), (), "")  # of an empty line, which has an empty answer


class TooManyPicturesError(Exception):
    """More commands than one picture can show."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to answer."""

    format: str = "text"
    explain: str | None = None
    on_error: str = "mark"


class Answerer:
    """Translates batches and writes them in the wanted format."""

    def __init__(self, translator: Translator, options: Options) -> None:
        self.translator = translator
        self.options = options

    def submit(self, batch: Batch) -> Answer:
        """The output of a batch, with a message for each line that failed."""
        texts, broken = _decode(batch.block)
        if self.options.explain:
            return self._explain(batch, texts, broken)
        translations = self.translator.translate_batch(texts)
        if self.options.format == "text" and all(item.error is None for item in translations):
            lines = [item.text for item in translations]
            lines.append("")  # for the last newline
            return Answer("\n".join(lines).encode(), counts=Counter(lines=len(texts)))
        return self._render(batch, texts, translations, broken)

    def _render(
        self, batch: Batch, texts: list[str], translations: list[Translation], broken: dict[int, Failure]
    ) -> Answer:
        answer = Answer(b"")
        rendered: list[str] = []
        for place, (text, item) in enumerate(zip(texts, translations, strict=True)):
            failure = broken.get(place, item.error)
            if self._is_wanted(answer, batch, place, failure):
                rendered.append(self._line(batch, place, text, item.text, failure))
            if answer.stop:
                break
        answer.output = "".join(rendered).encode(errors="replace")
        return answer

    def _is_wanted(self, answer: Answer, batch: Batch, place: int, failure: Failure | None) -> bool:
        """Count a line and tell of its failure; whether it has a place in the output."""
        answer.counts["lines"] += 1
        if failure is None:
            return True
        answer.counts[failure.code] += 1
        if failure.code == EMPTY:
            return True
        answer.problems.append(f"{batch.source}:{batch.first + place}: {failure.message}")
        answer.stop = self.options.on_error == "stop"
        return self.options.on_error == "mark"

    def _line(self, batch: Batch, place: int, text: str, output: str, failure: Failure | None) -> str:
        if failure is not None and failure.code == EMPTY:
            failure = None  # an empty line has an empty answer
        if self.options.format == "jsonl":
            row = {
                "file": batch.source,
                "line": batch.first + place,
                "input": text.removesuffix("\r"),
                "output": output,
                "error": asdict(failure) if failure else None,
            }
            return json.dumps(row, ensure_ascii=False) + "\n"
        if self.options.format == "tsv":
            # Words joined by single spaces, so that no tab of the input is taken for a column.
            return f"{' '.join(text.split())}\t{output}\t{failure.code if failure else ''}\n"
        return f"{ERROR_MARK}{failure.code}>\n" if failure else f"{output}\n"

    def _explain(self, batch: Batch, texts: list[str], broken: dict[int, Failure]) -> Answer:
        answer = Answer(b"")
        shown: list[str] = []
        for place, text in enumerate(texts):
            failure = broken.get(place)
            derivation = Derivation((), (), "", failure) if failure else self.translator.explain(text)
            if self._is_wanted(answer, batch, place, derivation.error):
                is_empty = derivation.error is not None and derivation.error.code == EMPTY
                shown.append(self._show(_NOTHING if is_empty else derivation))
            if answer.stop:
                break
        answer.output = "".join(shown).encode(errors="replace")
        return answer

    def _show(self, derivation: Derivation) -> str:
        if self.options.explain == "json":
            return json.dumps(derivation.as_dict(), ensure_ascii=False) + "\n"
        if derivation is _NOTHING:
            return "\n"
        view = derivation.as_tree() if self.options.explain == "tree" else derivation.as_text()
        return view + "\n\n"


class Gallery(Answerer):
    """Keeps the derivations, since a picture or a page is written as a whole."""

    def __init__(self, translator: Translator, options: Options) -> None:
        super().__init__(translator, options)
        self.derivations: list[Derivation] = []

    def _show(self, derivation: Derivation) -> str:
        if derivation.words:
            self.derivations.append(derivation)
        if len(self.derivations) > MAX_PICTURES:
            raise TooManyPicturesError(
                f"more than {MAX_PICTURES} commands to draw: use --explain json for so many"
            )
        return ""

    def write(self) -> bytes:
        """All derivations as one file."""
        from lane.runtime import picture

        draw = picture.as_svg if self.options.explain == "svg" else picture.as_html
        return draw(self.derivations).encode(errors="replace")


def _decode(block: bytes) -> tuple[list[str], dict[int, Failure]]:
    """The lines as text, and the failures of those that are none; these are given as empty text."""
    if len(block) <= MAX_LINE_BYTES:
        try:
            return block.decode().split("\n"), {}
        except UnicodeDecodeError:
            pass
    texts: list[str] = []
    broken: dict[int, Failure] = {}
    for place, line in enumerate(block.split(b"\n")):
        texts.append("")
        if len(line) > MAX_LINE_BYTES:
            broken[place] = Failure(LINE_TOO_LONG, f"the line is longer than {MAX_LINE_BYTES} bytes")
            continue
        try:
            texts[-1] = line.decode()
        except UnicodeDecodeError as error:
            message = f"not UTF-8: byte 0x{line[error.start]:02x} at byte {error.start + 1} of the line"
            broken[place] = Failure(INVALID_UTF8, message)
    return texts, broken
