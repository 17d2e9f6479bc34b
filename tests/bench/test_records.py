from __future__ import annotations

import json

import pytest

from morebits.bench import records
from morebits.errors import NewerFormat, ResultsError


def write(folder, *lines: bytes):
    (folder / records.SAMPLES).write_bytes(b"".join(lines))


def test_what_is_written_is_read(tmp_path, sample):
    samples = [sample(), sample(attack="unmarked", psnr=None), sample(image="\udcff é.png")]
    write(tmp_path, *map(records.line, samples))
    assert list(records.read(tmp_path)) == samples


def test_the_cut_last_line_is_left_out(tmp_path, sample):
    for cut in (1, 20, len(records.line(sample())) - 1):
        write(tmp_path, records.line(sample(image="b.png")), records.line(sample())[:cut])
        assert [each["image"] for each in records.read(tmp_path)] == ["b.png"]


def test_a_sample_is_never_counted_twice(tmp_path, sample):
    first, again = sample(bit_accuracy=0.75), sample(bit_accuracy=0.5)
    other = [sample(options={"psnr": 40}), sample(seed=1), sample(attack="jpeg:50")]
    write(tmp_path, *map(records.line, [first, again, *other, again]))
    assert list(records.read(tmp_path)) == [first, *other]


@pytest.mark.parametrize("line", [b"{]\n", b"7\n", b"{}\n", b'{"schema":1}\n', b"\n"])
def test_a_line_that_is_no_record_is_named(tmp_path, sample, line):
    write(tmp_path, records.line(sample()), line)
    with pytest.raises(ResultsError, match=r"line 2 of samples.jsonl .*remove that line"):
        list(records.read(tmp_path))


def test_other_schemas(tmp_path, sample):
    write(tmp_path, records.line(sample(schema=records.SCHEMA + 1)))
    with pytest.raises(NewerFormat, match="upgrade"):
        list(records.read(tmp_path))
    write(tmp_path, records.line(sample(schema=records.SCHEMA - 1)))
    with pytest.raises(ResultsError, match="give another folder"):
        list(records.read(tmp_path))


def test_records_from_before_there_were_perceptual_scores(tmp_path, sample):
    old = sample()
    del old["perceptual"]
    write(tmp_path, records.line(old), records.line(sample(seed=1)))
    assert list(records.read(tmp_path)) == [sample(perceptual={}), sample(seed=1)]
    del old["ms_ssim"]
    write(tmp_path, records.line(old))
    with pytest.raises(ResultsError, match="other fields than a record"):
        list(records.read(tmp_path))


def test_no_number_that_json_has_not(sample):
    with pytest.raises(ValueError, match="JSON"):
        records.line(sample(psnr=float("inf")))


def test_a_folder_without_results(tmp_path):
    with pytest.raises(ResultsError, match=r"has no samples\.jsonl"):
        list(records.read(tmp_path))
    with pytest.raises(ResultsError, match=r"has no run\.json"):
        records.read_run(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"schema": "1"}', "\0"])
def test_a_run_json_of_others(tmp_path, text):
    (tmp_path / records.RUN).write_text(text)
    with pytest.raises(ResultsError, match="a new one"):
        records.read_run(tmp_path)


def test_problems_are_told_once(sample):
    problems = records.Problems()
    for image in ("a.png", "b.png"):
        problems.add(sample(image=image, attack=each, error="no") for each in ("none", "jpeg:50"))
    problems.add([sample(error="rare"), sample()])
    first, second = problems.list()
    assert (first.error, first.samples, first.images) == ("no", 4, ("a.png", "b.png"))
    assert first.attacks == ("none", "jpeg:50")
    assert (second.error, second.samples, second.codecs) == ("rare", 1, ("box",))


def test_the_schema_is_what_the_contract_says(sample):
    """Whoever changes a field must change SCHEMA, and this list; a new one may have a default."""
    assert records.SCHEMA == 1
    assert list(json.loads(records.line(sample()))) == [
        "schema", "run", "codec", "options", "image", "attack", "seed", "bits", "width", "height",
        "psnr", "ssim", "ms_ssim", "perceptual", "fraction", "status", "bit_accuracy", "exact",
        "capacity", "p_value", "seconds", "error",
    ]  # fmt: skip
    assert list(records.Sample.__annotations__) == list(sample())
