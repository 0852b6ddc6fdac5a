"""Texts and images of OpenAI: models by default, prices, refusals, and what is kept."""

import base64

import pytest

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

FAILED, INVALID = (502, "upstream_provider_error"), (400, "invalid_request")
MESSAGE = {"role": "user", "content": "Hello."}
PNG = b"\x89PNG and so on"


def refusal(status, code, kind="invalid_request_error"):
    return Said({"error": {"message": "a text of OpenAI", "type": kind, "code": code}}, status)


def written(text="Hello.", model="gpt-5.4-mini-2026-03-17", **message):
    choice = {"message": {"content": text, **message}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    return {"model": model, "choices": [choice], "usage": usage}


def drawn(*pictures, output_tokens=1000):
    usage = {"input_tokens": 100, "output_tokens": output_tokens}
    data = [{"b64_json": base64.b64encode(one).decode()} for one in pictures]
    return {"data": data, "output_format": "png", "size": "1024x1024", "usage": usage}


@pytest.fixture
def held(alice, vendor):
    """What a call holds while OpenAI answers it, in credits."""
    seen = []

    def answering(answer):
        def look(_asked):
            seen.append(pytest.approx(alice.get("/api/credits").json["held"]))
            return Said(answer)

        vendor.says(look)
        return seen

    return answering


REFUSALS = [
    (refusal(429, "rate_limit_exceeded", "requests"), (429, "rate_limited")),
    (refusal(429, "insufficient_quota", "insufficient_quota"), FAILED),
    (refusal(400, "billing_hard_limit_reached"), FAILED),
    (refusal(401, "invalid_api_key"), FAILED),
    (refusal(403, "unsupported_country_region_territory"), FAILED),
    (refusal(404, None), FAILED),
    (refusal(400, "moderation_blocked", "image_generation_user_error"), INVALID),
    (refusal(400, "content_policy_violation"), INVALID),
    (refusal(400, None), INVALID),
    (refusal(503, "overloaded"), FAILED),
    (Said({"choices": [{"message": {"content": None}}], "data": []}), FAILED),
    (Said({"choices": [], "data": [{"b64_json": "no base64!"}]}), FAILED),
    (Said({"choices": [], "data": [{"b64_json": "AAAA"}, {"b64_json": ""}]}), FAILED),
    (Said({"choices": [], "data": [{"b64_json": "AAAA"}], "output_format": "exe"}), FAILED),
]


@pytest.mark.parametrize("endpoint", ["generate-text", "generate-image-llm"])
def test_a_refusal_is_told_in_our_words_and_free(ask, vendor, paid, endpoint):
    for count, (said, outcome) in enumerate(REFUSALS, 1):
        vendor.says(said)
        answer = ask(endpoint, {"prompt": "Hello."})
        assert (answer.status_code, answer.json["error"]) == outcome, said
        assert "a text of OpenAI" not in answer.text
        assert (len(vendor.seen), paid()) == (count, 0)


def test_content_that_is_not_allowed_is_said_to_be_so(ask, vendor):
    vendor.says(refusal(400, "moderation_blocked"))
    assert "content" in ask("generate-image-llm", {"prompt": "x"}).json["message"]


@pytest.mark.parametrize(
    ("endpoint", "setting", "default", "answer"),
    [
        ("generate-text", "OPENAI_TEXT_MODEL", "gpt-5.4-mini", written()),
        ("generate-image-llm", "OPENAI_IMAGE_MODEL", "gpt-image-2", drawn(PNG)),
    ],
)
def test_the_operator_sets_the_model_where_a_call_names_none(
    app, ask, vendor, endpoint, setting, default, answer
):
    vendor.says(answer)
    ask(endpoint, {"prompt": "Hello."})
    app.extensions["vendor_settings"][setting] = "local-model"
    ask(endpoint, {"prompt": "Hello."})
    assert [asked.json["model"] for asked in vendor.seen] == [default, "local-model"]


@pytest.mark.parametrize(
    ("body", "most"),
    [
        ({"prompt": "ä" * 500}, (2000 * 125 + 4096 * 750) / 1e6),
        ({"prompt": "ä" * 500, "model": "gpt-5.4-mini"}, (2000 * 37.5 + 4096 * 225) / 1e6),
        ({"prompt": "a", "systemPrompt": "a" * 999, "model": "gpt-5.4", "maxTokens": 9},
         (2000 * 125 + 9 * 750) / 1e6),
        ({"messages": [{**MESSAGE, "content": "a" * 500}] * 2, "maxTokens": 100},
         (2000 * 125 + 100 * 750) / 1e6),
        ({"messages": [{**MESSAGE, "content": "a" * 500}] * 2, "maxTokens": 100,
          "prompt": "a" * 9999, "systemPrompt": "a" * 9999}, (2000 * 125 + 100 * 750) / 1e6),
        ({"prompt": "a" * 300_000, "maxTokens": 100}, (301_000 * 250 + 100 * 1125) / 1e6),
    ],
)  # fmt: skip
def test_a_text_holds_what_its_prompts_and_its_length_can_cost(ask, held, body, most):
    seen = held(written())
    assert ask("generate-text", body).status_code == 200
    assert seen == [most]


@pytest.mark.parametrize(
    ("model", "input_price", "output_price"),
    [
        ("gpt-5.4-2026-03-05", 125, 750),
        ("openai/gpt-5.4", 125, 750),
        ("gpt-5.4-nano", 10, 62.5),
        ("local-model", 37.5, 225),
    ],
)
def test_a_text_costs_what_the_model_that_wrote_it_does(
    ask, vendor, paid, model, input_price, output_price
):
    vendor.says(written(model=model))
    ask("generate-text", {"prompt": "Hello."})
    assert paid() == (1000 * input_price + 100 * output_price) / 1e6


def test_tokens_of_the_cache_are_cheaper(ask, vendor, paid):
    answer = written()
    answer["usage"]["prompt_tokens_details"] = {"cached_tokens": 800}
    vendor.says(answer)
    ask("generate-text", {"prompt": "Hello."})
    assert paid() == (200 * 37.5 + 800 * 3.75 + 100 * 225) / 1e6


def test_a_model_that_refuses_is_an_answer(ask, vendor):
    vendor.says(written(None, refusal="I can't help with that."))
    data = ask("generate-text", {"messages": [MESSAGE]}).json["data"]
    assert (data["text"], data["refusal"]) == (None, "I can't help with that.")


def test_a_refusal_may_come_without_a_text(ask, vendor):
    answer = written(refusal="No.")
    del answer["choices"][0]["message"]["content"]
    vendor.says(answer)
    data = ask("generate-text", {"prompt": "a"}).json["data"]
    assert (data["text"], data["refusal"]) == (None, "No.")


def test_neither_a_text_nor_a_refusal_is_no_answer(ask, vendor, paid):
    answer = written(refusal=None)
    del answer["choices"][0]["message"]["content"]
    vendor.says(answer)
    assert ask("generate-text", {"prompt": "a"}).status_code == 502
    assert paid() == 0


def test_messages_replace_both_prompts(ask, vendor):
    vendor.says(written())
    body = {"messages": [MESSAGE], "prompt": "p", "systemPrompt": "s"}
    assert ask("generate-text", body).json["data"]["text"] == "Hello."
    assert vendor.seen[0].json["messages"] == [MESSAGE]


NOT_ASKED = [
    ("generate-text", {}, ["prompt"]),
    ("generate-text", {"systemPrompt": "a"}, ["prompt"]),
    ("generate-text", {"prompt": "a", "model": "gpt-3.5-turbo"}, ["model"]),
    ("generate-text", {"prompt": "a", "responseFormat": "json_object"}, ["responseFormat"]),
    ("generate-text",
     {"messages": [MESSAGE], "prompt": "As JSON.", "responseFormat": "json_object"},
     ["responseFormat"]),
    ("generate-image-llm", {"prompt": "a", "size": "1000x1000"}, ["size"]),
    ("generate-image-llm", {"prompt": "a", "size": "1024x1000"}, ["size"]),
    ("generate-image-llm", {"prompt": "a", "size": "3840x1024"}, ["size"]),
    ("generate-image-llm", {"prompt": "a", "size": "512x512"}, ["size"]),
    ("generate-image-llm", {"prompt": "a", "size": "3840x3840"}, ["size"]),
    ("generate-image-llm", {"prompt": "a", "size": "3840x2160", "n": 2}, ["n"]),
    ("generate-image-llm", {"prompt": "a", "outputCompression": 5}, ["outputCompression"]),
    ("generate-image-llm",
     {"prompt": "a", "background": "transparent", "outputFormat": "jpeg"}, ["background"]),
]  # fmt: skip


def test_what_can_not_be_asked_for_is_named(ask, vendor):
    for endpoint, body, names in NOT_ASKED:
        answer = ask(endpoint, body)
        assert (answer.status_code, sorted(answer.json["details"])) == (400, names)
        assert vendor.seen == []


def test_one_of_the_prompts_asks_for_the_json_that_is_wanted(ask, vendor):
    """OpenAI answers 400, "'messages' must contain the word 'json' in some form"."""
    vendor.says(written("{}"))
    for asked in (
        {"prompt": "A list in JSON."},
        {"prompt": "A list.", "systemPrompt": "Answer in json."},
        {"messages": [{**MESSAGE, "role": "system", "content": "Write Json."}, MESSAGE]},
    ):
        assert ask("generate-text", {**asked, "responseFormat": "json_object"}).status_code == 200


@pytest.mark.parametrize(
    ("endpoint", "param", "names"),
    [
        ("generate-text", "temperature", ["temperature"]),
        ("generate-text", "max_completion_tokens", ["maxTokens"]),
        ("generate-text", "messages[0].content", []),
        ("generate-text", ["temperature"], []),
        ("generate-image-llm", "background", ["background"]),
        ("generate-image-llm", "size", ["size"]),
    ],
)
def test_a_parameter_that_a_model_does_not_take_is_named(ask, vendor, endpoint, param, names):
    """Not every model takes every temperature, size or background."""
    error = {"message": "a text of OpenAI", "code": "unsupported_value", "param": param}
    vendor.says(Said({"error": error}, 400))
    answer = ask(endpoint, {"prompt": "a"})
    assert (answer.status_code, list(answer.json["details"])) == (400, names)
    assert "a text of OpenAI" not in answer.text


def test_images_are_kept_and_no_base64_is_answered(alice, ask, vendor):
    pictures = [PNG, PNG + b" other"]
    vendor.says(drawn(*pictures))
    answer = ask("generate-image-llm", {"prompt": "An otter", "n": 2})
    images = answer.json["data"]["images"]
    assert [alice.get(image["url"]).data for image in images] == pictures
    assert {image["mediaType"] for image in images} == {"image/png"}
    assert base64.b64encode(PNG).decode() not in answer.text


@pytest.mark.parametrize(("told", "kept"), [("jpeg", "jpeg"), (None, "webp"), ("", "webp")])
def test_an_image_is_of_the_format_that_is_told_or_else_asked_for(ask, vendor, told, kept):
    vendor.says({**drawn(PNG), "output_format": told})
    answer = ask("generate-image-llm", {"prompt": "An otter", "outputFormat": "webp"})
    assert answer.json["data"]["images"][0]["mediaType"] == f"image/{kept}"


@pytest.mark.parametrize(
    ("body", "tokens"),
    [
        ({}, 7024),
        ({"size": "auto"}, 7024),
        ({"size": "1536x1024", "quality": "medium", "n": 3}, 3 * 1372),
        ({"size": "3584x2048"}, 12329),
    ],
)
def test_images_hold_what_their_size_and_quality_cost_and_cost_what_is_reported(
    ask, held, paid, body, tokens
):
    seen = held(drawn(PNG))
    assert ask("generate-image-llm", {"prompt": "a" * 100, **body}).status_code == 200
    assert seen == [(100 * 0.000005 + tokens * 0.00003) * 50]
    assert paid() == (100 * 0.000005 + 1000 * 0.00003) * 50


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": 1, "input_tokens": 1}])
def test_a_call_without_its_usage_costs_the_most_that_it_can(ask, vendor, paid, usage):
    vendor.says({**written(), "usage": usage})
    ask("generate-text", {"prompt": "a" * 1000, "model": "gpt-5.4", "maxTokens": 100})
    assert paid() == (2000 * 125 + 100 * 750) / 1e6
    vendor.says({**drawn(PNG), "usage": usage})
    ask("generate-image-llm", {"prompt": "a" * 100, "quality": "low"})
    assert paid() == (2000 * 125 + 100 * 750) / 1e6 + (100 * 0.000005 + 196 * 0.00003) * 50
